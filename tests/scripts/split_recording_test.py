#!/usr/bin/env python3
"""scripts/split_recording.py: every row goes to one half, by a rule that nothing else has a say in."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from recording import ROOT, recording, write

SCRIPT = ROOT / "scripts/split_recording.py"
sys.path.insert(0, str(SCRIPT.parent))
import split_recording  # noqa: E402

PROBLEM = {
    "batch": 2,
    "num_heads": 16,
    "num_heads_kv": 16,
    "seqlen_q": 8192,
    "seqlen_kv": 8192,
    "head_dim": 128,
    "is_causal": True,
    "dtype": "fp16",
}


def split(folder, *reports):
    paths = [folder / "development.json", folder / "validation.json"]
    command = [sys.executable, SCRIPT, *reports, "--development", paths[0], "--validation", paths[1]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done, [json.loads(path.read_text(encoding="utf-8")) if path.exists() else None for path in paths]


def rows(report):
    return [(row["kernel"], json.dumps(row["problem"])) for row in report["results"]]


class Rule(unittest.TestCase):
    def test_the_text_of_a_row_has_its_fields_in_the_stated_order(self):
        self.assertEqual(split_recording.row_text("fa3-ws", PROBLEM), "fa3-ws|fp16|2|16|16|8192|8192|128|1")

    def test_the_halves_of_some_rows_are_what_sha256sum_says(self):
        # printf 'fa3|fp16|2|16|16|8192|8192|128|1' | sha256sum
        expected = {
            ("fa2", False): "validation",  # 95...
            ("fa2", True): "validation",  # 9d...
            ("fa3", False): "development",  # c8...
            ("fa3", True): "validation",  # 4f...
            ("fa3-ws", False): "validation",  # b5...
            ("fa3-ws", True): "development",  # 50...
        }
        for (kernel, is_causal), half in expected.items():
            entry = {"kernel": kernel, "problem": {**PROBLEM, "is_causal": is_causal}}
            self.assertEqual(split_recording.half_of(entry), half)

    def test_a_known_length_is_for_development_whatever_its_hash(self):
        for seqlen in range(1, 40):
            entry = {"kernel": "fa3", "problem": {**PROBLEM, "seqlen_q": seqlen}}
            self.assertEqual(split_recording.half_of(entry, (7, seqlen)), "development")
            self.assertEqual(split_recording.half_of(entry, (seqlen + 1,)), split_recording.half_of(entry))

    def test_a_mask_does_not_decide_the_half(self):
        pairs = set()
        for seqlen in range(512, 8192, 512):
            halves = [
                split_recording.half_of({"kernel": "fa3", "problem": {**PROBLEM, "seqlen_q": seqlen, "is_causal": mask}})
                for mask in (False, True)
            ]
            pairs.add(tuple(halves))
        self.assertEqual(len(pairs), 4)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.report = recording(lambda _: 0.01, "--seq", "512,1k,2k,4k", "--causal", "--no-causal")
        self.path = write(self.folder / "run.json", self.report)

    def test_every_row_is_in_exactly_one_half_and_each_says_how_it_was_split(self):
        done, halves = split(self.folder, self.path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(rows(halves[0]) + rows(halves[1])), sorted(rows(self.report)))
        for half, name in zip(halves, ("development", "validation")):
            self.assertTrue(half["results"])
            self.assertIn(f"the {name} half", half["warnings"][0])
            self.assertIn("SHA-256", half["warnings"][0])
            self.assertEqual(half["environment"], self.report["environment"])

    def test_the_order_of_the_rows_has_no_say(self):
        _, halves = split(self.folder, self.path)
        self.report["results"].reverse()
        _, again = split(self.folder, write(self.folder / "reversed.json", self.report))
        for half, other in zip(halves, again):
            self.assertEqual(sorted(rows(half)), sorted(rows(other)))

    def test_the_same_input_gives_the_same_bytes(self):
        names = ("development.json", "validation.json")
        split(self.folder, self.path)
        first = [(self.folder / name).read_bytes() for name in names]
        split(self.folder, self.path)
        self.assertEqual(first, [(self.folder / name).read_bytes() for name in names])

    def test_speedups_stay_only_over_a_kernel_that_is_still_the_first_of_its_problem(self):
        self.report["speedups"] = [
            {"kernel": row["kernel"], "problem": row["problem"], "baseline": "fa2"}
            for row in self.report["results"]
            if row["kernel"] != "fa2"
        ]
        _, halves = split(self.folder, write(self.path, self.report))
        kept = 0
        for half in halves:
            here = set(rows(half))
            for entry in half["speedups"]:
                self.assertIn(("fa2", json.dumps(entry["problem"])), here)
                self.assertIn((entry["kernel"], json.dumps(entry["problem"])), here)
                kept += 1
        self.assertLess(0, kept)
        self.assertLess(kept, len(self.report["speedups"]))

    def test_several_reports_of_one_gpu_are_put_together(self):
        other = recording(lambda _: 0.01, "--seq", "8k")
        _, halves = split(self.folder, self.path, write(self.folder / "other.json", other))
        self.assertEqual(
            sorted(rows(halves[0]) + rows(halves[1])), sorted(rows(self.report) + rows(other))
        )
        self.assertIn(" ".join(other["command"]), halves[0]["warnings"][-1])

    def test_a_row_that_is_there_twice_is_refused(self):
        done, halves = split(self.folder, self.path, self.path)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("is there twice", done.stderr)
        self.assertEqual(halves, [None, None])

    def test_reports_of_two_gpus_are_refused(self):
        other = recording(lambda _: 0.01, "--seq", "8k")
        other["environment"]["gpu"]["uuid"] = "GPU-other"
        done, _ = split(self.folder, self.path, write(self.folder / "other.json", other))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("'environment' is not that of", done.stderr)


if __name__ == "__main__":
    unittest.main()
