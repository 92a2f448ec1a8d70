"""Numbers and tables in Markdown."""


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


def mean_size(values):
    return mean([abs(value) for value in values])


def published_text(folder, model):
    sections = [published_section(path, model) for path in sorted(pathlib.Path(folder).glob("*.json"))]
    return """## Published tables

Simulated with the tile sizes that were published, in the `published_*` pipelines; no row has a number of its own. An error
is simulated over published TFLOPS, minus one. A table states TFLOPS and no cycles, so its clock has to be taken from
somewhere: it is that of the machine file, for all rows alike. The last column of a table is the mean of the clocks at which the
simulated cycles would give the published figures: near each other and to the machine's clock where the model is right.

""" + "\n".join(sections)
