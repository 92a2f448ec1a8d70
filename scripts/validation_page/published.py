"""The page's part on published tables, and on the same pipelines where cycles were counted."""

import pathlib
import sys

from validation_page.model import ROOT, load, problem_flags
from validation_page.text import describe, mean, mean_size, percent, size, table


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
        problem = {**self.problem, "batch": batch, "seqlen_q": seqlen, "seqlen_kv": seqlen}
        flags = ["--machine", machine, "--pipeline", pipeline, *problem_flags(problem)]
        result = model.simulate(*flags)["results"][0]
        self.clock_key = result["clock_basis"].split(" of ")[0]
        return {"seqlen": seqlen, "tflops": result["tflops"], "clock_mhz": result["clock_mhz"]}

    def name(self):
        causal = ", causal" if self.problem["is_causal"] else ""
        return f"{self.kernel}, d{self.problem['head_dim']}{causal}"


def published_section(path, model):
    data = load(path)
    groups = [PublishedGroup(group, data["machine"], model) for group in data["groups"]]
    machine = load(ROOT / "configs/machines" / f"{data['machine']}.json")
    lines = []
    for group in groups:
        for row, error in zip(group.rows, group.errors):
            lines.append([group.name(), row["seqlen"], row["published"], f"{row['tflops']:.0f}", percent(error)])
    sums = [
        [group.name(), percent(mean(group.errors)), size(mean_size(group.errors)), f"{mean(group.clocks):.0f}"]
        for group in groups
    ]
    for kernel in dict.fromkeys(group.kernel for group in groups):
        of_kernel = [group for group in groups if group.kernel == kernel]
        errors = [error for group in of_kernel for error in group.errors]
        clocks = [value for group in of_kernel for value in group.clocks]
        if len(of_kernel) > 1:
            sums.append([f"all of {kernel}", percent(mean(errors)), size(mean_size(errors)), f"{mean(clocks):.0f}"])
    if len({group.kernel for group in groups}) > 1:
        errors = [error for group in groups for error in group.errors]
        sums.append(["all", percent(mean(errors)), size(mean_size(errors)), ""])
    clocks = "; ".join(
        f"`{key}`, {machine[key]['value']:,} MHz ({machine[key]['source']})"
        for key in dict.fromkeys(group.clock_key for group in groups)
    )
    sources = "; ".join(dict.fromkeys(group.source for group in groups))
    return f"""### {data['description']}

Published: {sources} (`configs/published/{path.name}`). Simulated on `{data['machine']}` at its
{clocks}. {data['note']}

{table(["kernel", "mean error", "mean absolute error", "clock for no error, MHz"], sums)}
<details><summary>Row by row</summary>

{table(["kernel", "seqlen", "published TFLOPS", "simulated", "error"], lines)}
</details>
"""


# head_dim 64 is left out: the recorded version has other tiles than the published one.
OFFICIAL_PIPELINES = {128: "published_fa3_fp16", 256: "published_fa3_fp16_d256"}


def official_section(path, model):
    """The published pipelines against counted cycles, on which no clock has a say."""
    lines = []
    for measured in load(path)["results"]:
        problem = measured["problem"]
        if measured["kernel"] != "official_fa3" or problem["head_dim"] not in OFFICIAL_PIPELINES:
            continue
        pipeline = OFFICIAL_PIPELINES[problem["head_dim"]]
        simulated = model.simulate("--machine", "h200_sxm", "--pipeline", pipeline, *problem_flags(problem))["results"][0]
        clock = f"{measured['clocks']['sm_clock_mhz']:.0f}"
        error = percent(simulated["cycles"] / measured["cycles"] - 1)
        lines.append([describe(problem), f"{measured['cycles']:,.0f}", f"{simulated['cycles']:,.0f}", error, clock])
    return f"""### The same pipelines against counted cycles

What a table's errors owe to the clock can be told from a run whose cycles were counted: the official FlashAttention-3 with the
same tiles, built as a plugin, on the H200 of `configs/recordings/{path.name}`, simulated on `h200_sxm`. The last column is the
clock that the GPU held at its power limit.

{table(["problem", "counted cycles", "simulated", "error", "clock held, MHz"], lines)}"""


def published_text(folder, model):
    sections = [published_section(path, model) for path in sorted(pathlib.Path(folder).glob("*.json"))]
    return """## Published tables

Simulated with the tile sizes that were published, in the `published_*` pipelines; no row has a number of its own. An error
is simulated over published TFLOPS, minus one. A table states TFLOPS and no cycles, so its clock has to be taken from
somewhere: it is that of the machine file under WGMMA or, where it has one, under mma.sync, for all rows of a kernel alike, and no attention kernel
set it. The last column of a table is the mean of the clocks at which the
simulated cycles would give the published figures: near each other and to the machine's clock where the model is right.

""" + "\n".join(sections)
