#!/usr/bin/env python3
"""Splits recorded runs into rows to develop with and rows to validate with, by a hash of each row.

Usage: split_recording.py REPORT... --development FILE --validation FILE [--known-lengths N,N,...]

A row is a kernel on a problem. Its half follows from nothing but the text
"kernel|dtype|batch|heads|heads_kv|seqlen_q|seqlen_kv|head_dim|causal" (causal 0 or 1): where the first byte of its
SHA-256 is even, the row is for development, else for validation. A simple hash will not do: the last bit of FNV-1a, for one,
is the parity of the text, which parts every causal row from its twin without a mask.

Rows whose seqlen_q is one of --known-lengths, with which the model has been developed before, are all for development.

Several reports must be of the same GPU and tool, and are put together. Both files are valid reports, with a warning in
them that says how they were split.
"""

import argparse
import hashlib
import json
import pathlib
import sys

HALVES = ("development", "validation")


def row_text(kernel, problem):
    sizes = [problem[key] for key in ("batch", "num_heads", "num_heads_kv", "seqlen_q", "seqlen_kv", "head_dim")]
    return "|".join(map(str, [kernel, problem["dtype"], *sizes, int(problem["is_causal"])]))


def half_of(entry, known_lengths=()):
    if entry["problem"]["seqlen_q"] in known_lengths:
        return HALVES[0]
    text = row_text(entry["kernel"], entry["problem"])
    return HALVES[hashlib.sha256(text.encode("utf-8")).digest()[0] % 2]


def load(path):
    report = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    if report.get("schema_version") != 1:
        sys.exit(f"{path}: no report of schema_version 1")
    return report


def join(paths):
    """One report with the results of all; refuses what does not belong together."""
    reports = [load(path) for path in paths]
    joined = reports[0]
    for path, report in zip(paths[1:], reports[1:]):
        for key in ("tool", "environment", "seed"):
            if report.get(key) != joined.get(key):
                sys.exit(f"{path}: '{key}' is not that of {paths[0]}; split them one by one")
        for key in ("results", "deviations", "speedups", "warnings"):
            joined[key] += report[key]
        joined["warnings"].append(f"a part of the recording is by the command: {' '.join(report['command'])}")
    seen = set()
    for result in joined["results"]:
        row = (result["source"], result.get("pipeline"), row_text(result["kernel"], result["problem"]))
        if row in seen:
            sys.exit(f"{row[2]} is there twice; split reports that have each row once")
        seen.add(row)
    return joined


def speedups_of(report, results):
    """Those that still hold: over a first kernel of a problem that is also the first one here."""

    def first_kernels(rows):
        first = {}
        for row in rows:
            first.setdefault(json.dumps(row["problem"]), row["kernel"])
        return first

    before, after = first_kernels(report["results"]), first_kernels(results)
    kept = {(row["kernel"], json.dumps(row["problem"])) for row in results}
    return [
        entry
        for entry in report["speedups"]
        for problem in [json.dumps(entry["problem"])]
        if (entry["kernel"], problem) in kept and before[problem] == after[problem]
    ]


def half(report, name, known_lengths=()):
    results = [result for result in report["results"] if half_of(result, known_lengths) == name]
    note = (
        f"the {name} half of a recording: the rows for which the first byte of the SHA-256 of "
        "'kernel|dtype|batch|heads|heads_kv|seqlen_q|seqlen_kv|head_dim|causal' is "
        f"{'even' if name == HALVES[0] else 'odd'} (scripts/split_recording.py)"
    )
    if known_lengths:
        lengths = ", ".join(map(str, known_lengths))
        note += f"; those whose seqlen_q is one of {lengths} are all in the development half"
    return {
        **report,
        "results": results,
        "deviations": [entry for entry in report["deviations"] if half_of(entry, known_lengths) == name],
        "speedups": speedups_of(report, results),
        "warnings": [note, *report["warnings"]],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reports", nargs="+", metavar="REPORT")
    for name in HALVES:
        parser.add_argument(f"--{name}", required=True, metavar="FILE")
    parser.add_argument("--known-lengths", default="", metavar="N,N,...")
    arguments = parser.parse_args()
    known_lengths = tuple(int(length) for length in arguments.known_lengths.split(",") if length)
    report = join(arguments.reports)
    report.pop("validation", None)
    for name in HALVES:
        part = half(report, name, known_lengths)
        text = json.dumps(part, indent=2, ensure_ascii=False)
        pathlib.Path(getattr(arguments, name)).write_text(text + "\n", encoding="utf-8")
        measured = sum(result["source"] == "measured" for result in part["results"])
        print(f"{name}: {measured} measured rows")


if __name__ == "__main__":
    main()
