#!/usr/bin/env python3
"""scripts/validation.py: the page says what the program says, on a made-up recording whose errors are known."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

from recording import ROOT, recording, simulate, write

SCRIPT = ROOT / "scripts/validation.py"
PUBLISHED = """{
  "name": "table", "description": "A made-up table", "machine": "h100_sxm", "note": "Nothing is left out.",
  "groups": [{
    "kernel": "FlashAttention-2", "pipeline": "published_fa2_fp16",
    "problem": {"dtype": "fp16", "head_dim": 128, "num_heads": 16, "num_heads_kv": 16, "is_causal": false},
    "batch": [16, 8], "seqlen": [1024, 2048],
    "tflops": {"values": [100, null], "source": "nobody"}
  }]
}"""


def error_of(result):
    """fa2 is found 1 % slow, fa3 2 % fast, and its longest row 10 % fast."""
    if result["kernel"] == "fa2":
        return 0.01
    return -0.10 if result["problem"]["seqlen_q"] == 2048 else -0.02


class Page(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.published = self.folder / "published"
        self.published.mkdir()
        (self.published / "table.json").write_text(PUBLISHED, encoding="utf-8")
        flags = ("--seq", "512,1k,2k", "--causal", "--no-causal")
        self.development = write(self.folder / "development.json", recording(error_of, *flags))
        self.validation = write(self.folder / "validation.json", recording(error_of, "--seq", "4k", "--kv-heads", "2"))

    def generate(self, *flags):
        command = [sys.executable, SCRIPT, "--fa3prof", os.environ["FA3PROF_BINARY"], "--output", self.folder]
        command += ["--published", self.published, "--development", self.development, "--validation", self.validation]
        return subprocess.run(command + list(flags), capture_output=True, text=True, check=False)

    def page(self, *flags):
        done = self.generate(*flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.folder / "validation.md").read_text(encoding="utf-8")

    def test_the_table_has_the_known_errors_of_each_kernel_and_half(self):
        page = self.page()
        # (4 * 2 % + 2 * 10 %) / 6, and with it (6 * 1 % + 28 %) / 12
        self.assertIn("| fa2 | development | 6 | +1.0 % | 1.0 % | 1.0 % |", page)
        self.assertIn("| fa3 | development | 6 | -4.7 % | 4.7 % | 10.0 % | fp16 b8 h16 sq2048 skv2048 d128", page)
        self.assertIn("| all | development | 12 | -1.8 % | 2.8 % | 10.0 % | fa3, fp16 b8 h16 sq2048", page)
        self.assertIn("| fa3 | validation | 1 | -2.0 % | 2.0 % | 2.0 % | fp16 b4 h16/2 sq4096 skv4096 d128 |", page)

    def test_the_worst_row_comes_first_with_its_cycles(self):
        worst = re.search(r"furthest off:\n\n.*\n.*\n\| development \| (.*)", self.page()).group(1)
        self.assertRegex(worst, r"^fa3 \| fp16 b8 h16 sq2048 .* \| [0-9,]+ \| [0-9,]+ \| -10\.0 % \|$")

    def test_the_tensor_cores_activity_is_set_against_what_was_counted(self):
        self.assertNotIn("tensor cores are active", self.page())
        report = recording(error_of, "--seq", "512")
        for result, model in zip(report["results"], simulate("--machine", "h200_sxm", "--seq", "512")["results"]):
            busy = sum(part["cycles"] for part in model["breakdown"] if part["category"] == "tensor_busy")
            ratio = busy / model["cycles"] - (0.02 if result["kernel"] == "fa2" else -0.01)
            result["counters"] = {"status": "collected", "passes": 7, "values": {"tensor_active_ratio": ratio}}
        write(self.validation, report)
        page = self.page()
        self.assertIn("| fa2 | validation | 1 | +2.0 | 2.0 | 2.0 |", page)
        self.assertIn("| fa3 | validation | 1 | -1.0 | 1.0 | 1.0 |", page)

    def test_a_row_that_was_not_compared_is_listed(self):
        report = recording(error_of, "--seq", "512")
        del report["results"][0]["cycles"]
        write(self.validation, report)
        self.assertIn("- validation: fa2 on fp16 b32 h16 sq512 skv512 d128: no cycles were counted", self.page())

    def test_the_plot_has_a_mark_for_each_row_and_a_ring_for_each_causal_one(self):
        self.page()
        document = xml.dom.minidom.parse(str(self.folder / "validation.svg"))
        rows = [mark for mark in document.getElementsByTagName("circle") if mark.getElementsByTagName("title")]
        self.assertEqual(len(rows), 12 + 2)
        self.assertEqual(sum(mark.getAttribute("fill") == "none" for mark in rows), 6)
        self.assertEqual(len({mark.getAttribute("stroke") for mark in rows}), 2)

    def test_marks_stand_higher_where_the_model_is_slower(self):
        self.page()
        document = xml.dom.minidom.parse(str(self.folder / "validation.svg"))
        heights = {}
        for mark in document.getElementsByTagName("circle"):
            for title in mark.getElementsByTagName("title"):
                ratio = float(title.firstChild.data.rsplit(" ", 1)[1])
                heights[ratio] = float(mark.getAttribute("cy"))
        self.assertEqual(sorted(heights), [0.9, 0.98, 1.01])
        self.assertGreater(heights[0.9], heights[0.98])
        self.assertGreater(heights[0.98], heights[1.01])

    def test_a_published_row_has_its_error_and_a_hidden_one_is_left_out(self):
        page = self.page("--published-only")
        row = re.search(r"\| FlashAttention-2, d128 \| 1024 \| 100 \| (\d+) \| \+([0-9.]+) % \|", page)
        self.assertAlmostEqual(float(row.group(1)), 100 + float(row.group(2)), delta=0.6)
        self.assertNotIn("| 2048 |", page)
        self.assertIn("1,830 MHz", page)
        self.assertIn("nobody", page)

    def test_the_clock_for_no_error_takes_the_error_away(self):
        page = self.page("--published-only")
        error = float(re.search(r"\| 100 \| \d+ \| \+([0-9.]+) % \|", page).group(1)) / 100
        clock = float(re.search(r"\| FlashAttention-2, d128 \| \+.*\| (\d+) \|", page).group(1))
        self.assertAlmostEqual(clock * (1 + error), 1830, delta=2)

    def test_the_official_kernel_is_compared_in_cycles(self):
        report = recording(lambda _: 0.04, "--pipeline", "published_fa3_fp16", "--seq", "8k")
        report["results"][0] |= {"kernel": "official_fa3", "clocks": {"sm_clock_mhz": 1371.2}}
        page = self.page("--published-only", "--peers", write(self.folder / "peers.json", report))
        self.assertRegex(page, r"\| fp16 b2 h16 sq8192 skv8192 d128 \| [0-9,]+ \| [0-9,]+ \| \+4\.0 % \| 1371 \|")

    def test_published_only_says_nothing_of_recordings(self):
        self.assertNotIn("Recorded runs", self.page("--published-only"))

    def test_the_same_input_gives_the_same_bytes(self):
        names = ("validation.md", "validation.svg")
        self.page()
        first = [(self.folder / name).read_bytes() for name in names]
        self.page()
        self.assertEqual(first, [(self.folder / name).read_bytes() for name in names])

    def test_a_missing_recording_ends_it_with_the_programs_own_words(self):
        self.validation = self.folder / "nowhere.json"
        done = self.generate()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("nowhere.json", done.stderr)
        self.assertFalse((self.folder / "validation.md").exists())


class PublishedTables(unittest.TestCase):
    def test_every_table_of_the_repository_has_as_many_values_as_rows_and_a_source(self):
        tables = sorted((ROOT / "configs/published").glob("*.json"))
        self.assertTrue(tables)
        for path in tables:
            data = json.loads(path.read_text(encoding="utf-8"))
            self.assertEqual(data["name"], path.stem)
            self.assertEqual(set(data), {"name", "description", "machine", "note", "groups"})
            self.assertTrue((ROOT / "configs/machines" / f"{data['machine']}.json").exists())
            for group in data["groups"]:
                self.assertEqual(len(group["batch"]), len(group["seqlen"]))
                self.assertEqual(len(group["seqlen"]), len(group["tflops"]["values"]))
                self.assertTrue(group["tflops"]["source"])
                self.assertTrue((ROOT / "configs/pipelines" / f"{group['pipeline']}.json").exists())


if __name__ == "__main__":
    unittest.main()
