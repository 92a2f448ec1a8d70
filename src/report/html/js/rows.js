// The reports as rows: one kernel on one problem, measured, simulated or both.

/// Problems that differ in length alone are one family, which a line over the lengths connects.
function familyKey(problem) {
  return JSON.stringify([problem.dtype, problem.head_dim, problem.is_causal, problem.num_heads, problem.num_heads_kv,
    problem.seqlen_kv - problem.seqlen_q]);
}

/// "fp16 b2 h16 sq8192 skv8192 d128" -> "fp16 b2 h16 s8192 d128"
function shortened(problemText) {
  return problemText.replace(/ sq(\d+) skv\1 /, " s$1 ");
}

function rowOf(report, problemEntry, entry) {
  const measured = entry.measured === undefined ? undefined : report.results[entry.measured];
  const simulated = entry.simulated === undefined ? undefined : report.results[entry.simulated];
  const problem = (measured ?? simulated).problem;
  return {
    report, label: entry.label, problem, problemText: shortened(problemEntry.text), family: familyKey(problem),
    measured, simulated,
    dtype: entry.multiplied_dtype,
    measuredCycles: entry.measured_cycles,
    cyclesBasis: entry.measured_cycles_basis,
    deviation: entry.cycles_deviation_ratio,
    speedup: entry.speedup,
    reason: measured?.unsupported_reason ?? (measured ? undefined : simulated.unsupported_reason),
  };
}

/// A kernel that several reports have on one problem is named with its report.
function makeLabelsUnique(rows) {
  const reportsOf = new Map();
  for (const row of rows) {
    const key = `${row.label} ${row.problemText}`;
    reportsOf.set(key, (reportsOf.get(key) ?? new Set()).add(row.report));
  }
  const shared = new Set(rows.filter((row) => reportsOf.get(`${row.label} ${row.problemText}`).size > 1)
    .map((row) => row.label));
  for (const row of rows) {
    if (shared.has(row.label)) row.label = `${row.label} (${row.report.name})`;
  }
}

function readRows(reports) {
  const rows = reports.flatMap((report) => report.problems.flatMap((problem) =>
    problem.rows.map((entry) => rowOf(report, problem, entry))));
  makeLabelsUnique(rows);
  return rows;
}

function distinct(values) {
  return [...new Set(values)];
}

/// A family's name, without what all families share: "head dim 128, causal".
function familyNames(rows) {
  const problems = new Map(rows.map((row) => [row.family, row.problem]));
  const all = [...problems.values()];
  const varies = (key) => distinct(all.map(key)).length > 1;
  const layout = (p) => `${p.head_dim} ${p.is_causal} ${p.num_heads} ${p.num_heads_kv}`;
  const manyHeads = distinct(all.map((p) => `${p.head_dim} ${p.is_causal}`)).length < distinct(all.map(layout)).length;
  return new Map([...problems].map(([key, p]) => [key, [
    `head dim ${p.head_dim}`,
    p.is_causal ? "causal" : "",
    manyHeads || p.num_heads !== p.num_heads_kv ? headsText(p) : "",
    varies((q) => q.dtype) ? p.dtype : "",
    p.seqlen_kv === p.seqlen_q ? "" : `${number(p.seqlen_kv - p.seqlen_q, 0)} more keys than queries`,
  ].filter(Boolean).join(", ")]));
}

function headsText(problem) {
  return problem.num_heads === problem.num_heads_kv
    ? `${problem.num_heads} heads` : `${problem.num_heads} heads on ${problem.num_heads_kv}`;
}

/// Families as tables of attention list them: head_dim, full before causal, the usual head count first.
function sortedFamilies(rows) {
  const first = new Map();
  for (const row of rows) if (!first.has(row.family)) first.set(row.family, row.problem);
  const order = (p) => [p.num_heads * p.head_dim === 2048 && p.num_heads === p.num_heads_kv ? 0 : 1, p.dtype,
    p.is_causal ? 1 : 0, p.head_dim, p.num_heads];
  return [...first].sort(([, a], [, b]) => {
    const [x, y] = [order(a), order(b)];
    const at = x.findIndex((value, index) => value !== y[index]);
    return at < 0 ? 0 : x[at] < y[at] ? -1 : 1;
  }).map(([key]) => key);
}

/// "8k tokens, head dim 128, causal" for a list to choose from.
function problemName(row) {
  const p = row.problem;
  return [`${tokens(p.seqlen_q)} tokens`, p.seqlen_kv === p.seqlen_q ? "" : `${tokens(p.seqlen_kv)} keys`,
    `head dim ${p.head_dim}`, p.is_causal ? "causal" : "", `batch ${p.batch}`, headsText(p), p.dtype]
    .filter(Boolean).join(", ");
}
