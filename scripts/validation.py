#!/usr/bin/env python3
"""Writes docs/validation.md and its plot: how far the model is off from recorded runs and from published tables.

Usage: validation.py [--fa3prof FILE] [--development FILE --validation FILE | --published-only] [--output FOLDER]

The recordings are the two halves that split_recording.py wrote; the published tables are those of configs/published. Every
number on the page comes out of `fa3prof simulate --json`. The same input gives the same bytes.
"""

import argparse
import json
import pathlib
import subprocess
import sys

import validation_plot

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORST_ROWS = 8


def percent(ratio):
    text = f"{100 * ratio:+.1f} %"
    return "0.0 %" if text in ("+0.0 %", "-0.0 %") else text


def size(ratio):
    return f"{100 * ratio:.1f} %"


def mean(values):
    return sum(values) / len(values)


def describe(problem):
    heads = str(problem["num_heads"])
    if problem["num_heads_kv"] != problem["num_heads"]:
        heads += f"/{problem['num_heads_kv']}"
    causal = " causal" if problem["is_causal"] else ""
    return (
        f"{problem['dtype']} b{problem['batch']} h{heads} sq{problem['seqlen_q']} skv{problem['seqlen_kv']} "
        f"d{problem['head_dim']}{causal}"
    )


def table(heading, rows):
    lines = ["| " + " | ".join(heading) + " |", "|" + "---|" * len(heading)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def load(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


class Model:
    """The program, as a process."""

    def __init__(self, program):
        self.program = program

    def simulate(self, *flags):
        command = [str(self.program), "simulate", *map(str, flags), "--quiet", "--json", "-"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout)


class Half:
    """One half of the recorded grid, set against the model."""

    def __init__(self, name, path, model):
        self.name = name
        self.path = pathlib.Path(path)
        document = model.simulate("--against", path)
        self.sums = document["validation"]
        self.rows = [row for row in document["deviations"] if row.get("measured_cycles_basis") == "counted"]
        self.environment = document["environment"]
        self.models = sorted({f"{row['machine']} by {row['source']}" for row in self.rows})
        self.recorded = load(path)["created_at"][:10]

    def summary(self, label):
        if label is None:
            return self.sums["overall"]
        found = [kernel for kernel in self.sums["kernels"] if kernel["label"] == label]
        return found[0] if found else None


def summary_rows(halves, label, heading):
    """A line for each half that has such rows."""
    for half in halves:
        entry = half.summary(label)
        if entry is None:
            continue
        yield [
            heading,
            half.name,
            entry["rows"],
            percent(entry["mean_signed_error_ratio"]),
            size(entry["mean_absolute_error_ratio"]),
            size(entry["max_absolute_error_ratio"]),
            describe(entry["worst"]["problem"]),
        ]


def shape_rows(half):
    """Mean absolute and largest errors by head_dim and mask."""
    groups = {}
    for row in half.rows:
        problem = row["problem"]
        groups.setdefault((problem["head_dim"], problem["is_causal"]), []).append(abs(row["cycles_deviation_ratio"]))
    for (head_dim, is_causal), errors in sorted(groups.items()):
        name = f"{head_dim}, causal" if is_causal else str(head_dim)
        yield [name, half.name, len(errors), size(mean(errors)), size(max(errors))]


def worst_rows(half):
    rows = sorted(half.rows, key=lambda row: (-abs(row["cycles_deviation_ratio"]), row["kernel"], describe(row["problem"])))
    for row in rows[:WORST_ROWS]:
        yield [
            half.name,
            row["kernel"],
            describe(row["problem"]),
            f"{row['measured_cycles']:,.0f}",
            f"{row['simulated_cycles']:,.0f}",
            percent(row["cycles_deviation_ratio"]),
        ]


def omitted_text(halves):
    lines = [
        f"- {half.name}: {row['kernel']} on {describe(row['problem'])}: {row['reason']}"
        for half in halves
        for row in half.sums["omitted"]
    ]
    return "Measured, but not compared:\n\n" + "\n".join(lines) + "\n\n" if lines else ""


def recorded_section(halves):
    kernels = {entry["label"] for half in halves for entry in half.sums["kernels"]}
    lines = list(summary_rows(halves, None, "all"))
    for kernel in sorted(kernels):
        lines += summary_rows(halves, kernel, kernel)
    shapes = [line for half in halves for line in shape_rows(half)]
    worst = [line for half in halves for line in worst_rows(half)]
    environment = halves[0].environment
    sources = " and ".join(f"`{half.path.name}`" for half in halves)
    models = ", ".join(sorted({model for half in halves for model in half.models}))
    return f"""## Recorded runs

An error is simulated over counted SM cycles, minus one; the clock plays no part in it. Recorded with `fa3prof run` on an
{environment['gpu']['name']} (driver {environment['driver']}) on {halves[0].recorded}: {sources} in `configs/recordings`.
Model: {models}.

The recorded rows were parted in two by a hash of what each is (kernel, type, sizes, mask), before anyone looked at their
cycles: `scripts/split_recording.py` says how. The *development* half was open while the engine was built. The *validation*
half was held out: it was read for this page only.

{table(["kernel", "half", "rows", "mean error", "mean absolute error", "largest", "of"], lines)}
![Simulated over counted cycles by query length, a panel for each half](validation.svg)

The same by head_dim and mask:

{table(["head_dim", "half", "rows", "mean absolute error", "largest"], shapes)}
The {WORST_ROWS} rows of each half that are furthest off:

{table(["half", "kernel", "problem", "counted", "simulated", "error"], worst)}
{omitted_text(halves)}"""


class PublishedGroup:
    """One kernel of a published table, row by row."""

    KEYS = {"kernel", "pipeline", "problem", "batch", "seqlen", "tflops"}

    def __init__(self, group, machine, model):
        if set(group) != self.KEYS or set(group["tflops"]) != {"values", "source"}:
            sys.exit(f"a published group of {group.get('kernel')} has other keys than {sorted(self.KEYS)}")
        self.kernel = group["kernel"]
        self.problem = group["problem"]
        self.source = group["tflops"]["source"]
        self.rows = []
        for batch, seqlen, published in zip(group["batch"], group["seqlen"], group["tflops"]["values"], strict=True):
            if published is not None:
                self.rows.append(self.simulated(group["pipeline"], machine, model, batch, seqlen) | {"published": published})
        self.errors = [row["tflops"] / row["published"] - 1 for row in self.rows]
        # Cycles do not depend on the clock, so this is the one at which the row would have no error.
        self.clocks = [row["clock_mhz"] * row["published"] / row["tflops"] for row in self.rows]

    def simulated(self, pipeline, machine, model, batch, seqlen):
        problem = self.problem
        flags = ["--machine", machine, "--pipeline", pipeline, "--seq", seqlen, "--batch", batch]
        flags += ["--dtype", problem["dtype"], "--head-dim", problem["head_dim"], "--heads", problem["num_heads"]]
        flags += ["--kv-heads", problem["num_heads_kv"], "--causal" if problem["is_causal"] else "--no-causal"]
        result = model.simulate(*flags)["results"][0]
        return {"seqlen": seqlen, "tflops": result["tflops"], "clock_mhz": result["clock_mhz"]}

    def name(self):
        causal = ", causal" if self.problem["is_causal"] else ""
        return f"{self.kernel}, d{self.problem['head_dim']}{causal}"


def published_section(path, model):
    data = load(path)
    groups = [PublishedGroup(group, data["machine"], model) for group in data["groups"]]
    clock = load(ROOT / "configs/machines" / f"{data['machine']}.json")["clock_load_mhz"]
    lines = []
    for group in groups:
        for row, error in zip(group.rows, group.errors):
            lines.append([group.name(), row["seqlen"], row["published"], f"{row['tflops']:.0f}", percent(error)])
    sums = [
        [group.name(), percent(mean(group.errors)), size(mean(map_abs(group.errors))), f"{mean(group.clocks):.0f}"]
        for group in groups
    ]
    for kernel in dict.fromkeys(group.kernel for group in groups):
        of_kernel = [group for group in groups if group.kernel == kernel]
        errors = [error for group in of_kernel for error in group.errors]
        clocks = [value for group in of_kernel for value in group.clocks]
        if len(of_kernel) > 1:
            sums.append([f"all of {kernel}", percent(mean(errors)), size(mean(map_abs(errors))), f"{mean(clocks):.0f}"])
    sources = "; ".join(dict.fromkeys(group.source for group in groups))
    return f"""### {data['description']}

Published: {sources} (`configs/published/{path.name}`). Simulated on `{data['machine']}` at its `clock_load_mhz`,
{clock['value']:,} MHz ({clock['source']}). {data['note']}

{table(["kernel", "mean error", "mean absolute error", "clock for no error, MHz"], sums)}
<details><summary>Row by row</summary>

{table(["kernel", "seqlen", "published TFLOPS", "simulated", "error"], lines)}
</details>
"""


def map_abs(values):
    return [abs(value) for value in values]


def published_text(folder, model):
    sections = [published_section(path, model) for path in sorted(pathlib.Path(folder).glob("*.json"))]
    return """## Published tables

Simulated with the tile sizes that were published, in the `published_*` pipelines; no row has a number of its own. An error
is simulated over published TFLOPS, minus one. A table states TFLOPS and no cycles, so its clock has to be taken from
somewhere: it is that of the machine file, for all rows alike. The last column of a table is the mean of the clocks at which the
simulated cycles would give the published figures: near each other and to the machine's clock where the model is right.

""" + "\n".join(sections)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    recordings = ROOT / "configs/recordings"
    parser.add_argument("--fa3prof", default=ROOT / "build/release/src/fa3prof", metavar="FILE")
    parser.add_argument("--development", default=recordings / "h200_sxm_grid_development.json", metavar="FILE")
    parser.add_argument("--validation", default=recordings / "h200_sxm_grid_validation.json", metavar="FILE")
    parser.add_argument("--published", default=ROOT / "configs/published", metavar="FOLDER")
    parser.add_argument("--published-only", action="store_true", help="leave the recorded runs out")
    parser.add_argument("--output", default=ROOT / "docs", type=pathlib.Path, metavar="FOLDER")
    arguments = parser.parse_args()
    model = Model(arguments.fa3prof)
    text = "# How well the model predicts\n\nWritten by `scripts/validation.py`; docs/model.md says how the model works.\n\n"
    if not arguments.published_only:
        halves = [Half(name, getattr(arguments, name), model) for name in ("development", "validation")]
        text += recorded_section(halves)
        plot = validation_plot.svg([(half.name, half.rows) for half in halves])
        (arguments.output / "validation.svg").write_text(plot, encoding="utf-8")
    text += published_text(arguments.published, model)
    (arguments.output / "validation.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
