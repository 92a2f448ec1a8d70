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
