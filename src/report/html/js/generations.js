// FlashAttention-1 to 3 on one problem, each beside what a published guide says of it.

function warpsText(roles) {
  return (roles ?? []).filter((role) => role.warps).map((role) => `${role.name} ${role.instances} × ${role.warps}`)
    .join(", ");
}

/// [[name, what was measured, what the guide says], ...]; a function of `measured`, of `guide`.
const GENERATION_LINES = [
  ["Memory transfer", (m) => words(m.memory_transfer ?? ""), (g) => g.memory_transfer],
  ["Loads (LDG)", (m) => number(m.global_load_instructions, 0)],
  ["cp.async (LDGSTS)", (m) => number(m.cp_async_instructions, 0)],
  ["TMA instructions", (m) => number(m.tma_instructions, 0)],
  ["Tensor instruction", (m) => words(m.tensor_instruction ?? ""), (g) => g.tensor_instruction],
  ["Warps of a CTA", (m) => warpsText(m.roles), (g) => g.warps],
  ["Tensor pipe busy", (m) => percent(m.tensor_active_ratio)],
  ["MUFU busy", (m) => percent(m.mufu_active_ratio)],
  ["Both at once, at least", (m) => percent(m.both_busy_ratio), (g) => g.overlap],
  ["TFLOPS", (m) => number(m.tflops), (g) => `~${number(g.tflops, 0)}`],
  ["% of peak", (m) => percent(m.peak_ratio), (g) => percent(g.peak_ratio, 0)],
  ["Over the one before", (m) => times(m.time_ratio_over_previous), (g) => times(g.time_ratio_over_previous)],
];

function generationRows(generations) {
  return GENERATION_LINES.flatMap(([name, ofMeasured, ofGuide]) => {
    const measured = { name, texts: generations.map(({ measured }) => (measured ? ofMeasured(measured) : "not run")) };
    if (!ofGuide) return [measured];
    return [measured, { name: "… in the guide", texts: generations.map(({ guide }) => ofGuide(guide)) }];
  });
}

function textOfProblem(problem) {
  const same = (row) => JSON.stringify(row.problem) === JSON.stringify(problem);
  return page.rows.find(same)?.problemText ?? "";
}

function generationPanel({ problem, generations, notes }) {
  const columns = [{ title: "", value: (row) => row.name },
    ...generations.map(({ name, kernel }, index) =>
      ({ title: `${name} (${kernel})`, value: (row) => row.texts[index] || NOT_THERE }))];
  const caption = `Generations, ${textOfProblem(problem)}`;
  return [scrolling(table({ caption, columns, rows: generationRows(generations) }), caption),
    notes.length ? element("ul", { class: "warnings" }, notes.map((note) => element("li", {}, note))) : ""];
}

function showGenerations() {
  const tables = page.reports.flatMap((report) => report.generations ?? []);
  if (tables.length === 0) return removeSection("generations");
  return section("generations").append(...tables.map(generationPanel).flat().filter(Boolean));
}
