"""The page's part on recorded runs: errors of counted cycles in both halves of a recording."""

import json
import pathlib

from validation_page.model import load
from validation_page.text import describe, mean, percent, size, table

WORST_ROWS = 8


def activity_of(results):
    """By kernel: simulated less counted share of cycles in which the tensor cores are active, of each row."""
    counted = {}
    simulated = {}
    for result in results:
        row = (result["kernel"], json.dumps(result["problem"], sort_keys=True))
        if result["source"] == "measured":
            ratio = result.get("counters", {}).get("values", {}).get("tensor_active_ratio")
            if ratio is not None:
                counted[row] = ratio
        elif "breakdown" in result:
            busy = [part["cycles"] for part in result["breakdown"] if part["category"] == "tensor_busy"]
            simulated[row] = sum(busy) / result["cycles"]
    differences = {}
    for row in counted.keys() & simulated.keys():
        differences.setdefault(row[0], []).append(simulated[row] - counted[row])
    return differences


class Half:
    """One half of the recorded grid, set against the model."""

    def __init__(self, name, path, model):
        self.name = name
        self.path = pathlib.Path(path)
        document = model.simulate("--against", path)
        self.sums = document["validation"]
        self.rows = [row for row in document["deviations"] if row.get("measured_cycles_basis") == "counted"]
        self.activity = activity_of(document["results"])
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
            (f"{entry['worst']['kernel']}, " if label is None else "") + describe(entry["worst"]["problem"]),
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


def activity_rows(half):
    for kernel, differences in sorted(half.activity.items()):
        sizes = [abs(difference) for difference in differences]
        points = [f"{100 * value:+.1f}" for value in (mean(differences),)]
        points += [f"{100 * value:.1f}" for value in (mean(sizes), max(sizes))]
        yield [kernel, half.name, len(sizes), *points]


def activity_text(halves):
    lines = [line for half in halves for line in activity_rows(half)]
    if not lines:
        return ""
    heading = ["kernel", "half", "rows", "mean", "mean absolute", "largest"]
    return f"""The share of cycles in which the tensor cores are active, simulated (`tensor_busy`) less counted by CUPTI, in points:

{table(heading, lines)}
"""


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

Rows of lengths with which the model had been developed before are in the *development* half, which was open while the engine
was built. The others were parted in two by a hash of what each is (kernel, type, sizes, mask), before anyone looked at
their cycles: `scripts/split_recording.py` says how. The *validation* half was held out; what its rows furthest off have
shown since it was first read is told in docs/model.md.

{table(["kernel", "half", "rows", "mean error", "mean absolute error", "largest", "of"], lines)}
![Simulated over counted cycles by query length, a panel for each half](validation.svg)

The same by head_dim and mask:

{table(["head_dim", "half", "rows", "mean absolute error", "largest"], shapes)}
{activity_text(halves)}The {WORST_ROWS} rows of each half that are furthest off:

{table(["half", "kernel", "problem", "counted", "simulated", "error"], worst)}
{omitted_text(halves)}"""
