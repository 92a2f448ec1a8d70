// How far the model is off: every row with counted cycles, and the sums for each kernel.

function rowsWithError(rows = page.rows) {
  return rows.filter((row) => isNumber(row.deviation) && row.cyclesBasis === "counted");
}

function errorSums(errors) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const sizes = errors.map(Math.abs);
  return { mean: mean(errors), meanAbsolute: mean(sizes), largest: Math.max(...sizes) };
}

function errorText(row) {
  return [`${row.label}: ${problemName(row)}`, `${signedPercent(row.deviation)}`,
    `simulated ${number(row.simulated.cycles, 0)}, counted ${number(row.measuredCycles, 0)} cycles`].join("\n");
}

/// Over the lengths; where all rows have one length, over the families.
function errorAxis(rows) {
  const lengths = rows.map((row) => row.problem.seqlen_q);
  if (distinct(lengths).length === 1) {
    const families = sortedFamilies(rows);
    return { place: (row) => families.indexOf(row.family), aside: (place) => place, axis: axis({ type: "category",
      data: families.map((family) => page.families.get(family)), axisLabel: { interval: 0, width: 150, overflow: "break" } }) };
  }
  // Kernels of one length stand side by side.
  return { place: (row) => row.problem.seqlen_q, aside: (place, steps) => place * 1.045 ** steps, axis: axis({ type: "log", logBase: 2,
    min: power(2, Math.min(...lengths) / 1.2, Math.floor), max: power(2, Math.max(...lengths) * 1.2, Math.ceil),
    name: "tokens", nameLocation: "middle", nameGap: 26, axisLabel: { formatter: tokens, hideOverlap: true },
    splitLine: { show: false } }) };
}

function errorPanel(rows) {
  const labels = page.labels.filter((label) => rows.some((row) => row.label === label));
  const across = errorAxis(rows);
  const edge = (sign) => Math.max(0.05, Math.ceil(Math.max(...rows.map((row) => sign * row.deviation)) * 20) / 20);
  const band = { color: colour("good"), opacity: 0.12 };
  return {
    summary: `Errors of ${countText(rows.length, "row")} over sequence length, with a band of ±3 %.`,
    option: {
      grid: { left: 58, right: 16, top: 12, bottom: 44 },
      xAxis: across.axis,
      yAxis: axis({ type: "value", min: -edge(-1), max: edge(1),
        axisLabel: { formatter: (value) => (value ? signedPercent(value, 0) : "0 %") } }),
      series: labels.map((label, index) => ({
        type: "scatter", symbol: chartSymbol(label), symbolSize: 10,
        itemStyle: { color: kernelColour(label), borderColor: colour("surface"), borderWidth: 1, opacity: 0.9 },
        data: rows.filter((row) => row.label === label).map((row) =>
          ({ value: [across.aside(across.place(row), index - (labels.length - 1) / 2), row.deviation], text: errorText(row) })),
        ...(index === 0 ? { markArea: { silent: true, itemStyle: band, data: [[{ yAxis: -0.03 }, { yAxis: 0.03 }]] },
          markLine: { silent: true, symbol: "none", label: { show: false },
            lineStyle: { color: colour("muted"), type: "solid", width: 1 }, data: [{ yAxis: 0 }] } } : {}),
      })),
    },
  };
}

function errorSumsTable(rows) {
  const groups = [...distinct(rows.map((row) => row.label)).map((label) =>
    ({ label, errors: rows.filter((row) => row.label === label).map((row) => row.deviation) })),
  { label: "all", errors: rows.map((row) => row.deviation) }];
  const sum = (title, key, text) => ({ title, isNumber: true, value: (group) => errorSums(group.errors)[key], text });
  return table({
    caption: "Error of the simulated cycles by kernel",
    columns: [
      { title: "Kernel", value: (group) => group.label },
      { title: "Rows", isNumber: true, value: (group) => group.errors.length },
      sum("Mean, signed", "mean", (value) => signedPercent(value)),
      sum("Mean, absolute", "meanAbsolute", (value) => percent(value)),
      sum("Largest", "largest", (value) => percent(value)),
    ],
    rows: groups,
  });
}

function showModelError() {
  const rows = rowsWithError();
  if (!rows.length) {
    removeSection("error");
    return;
  }
  const shown = () => rowsWithError(visibleRows());
  section("error").append(element("div", { class: "panel", id: "error-sums" }, errorSumsTable(rows)));
  addFigure("error", {
    id: "errors", title: "Error of every row",
    note: "The band is ±3 %.",
    legend: () => kernelLegend(distinct(rows.map((row) => row.label))),
    height: () => 320,
    panels: () => (shown().length ? [errorPanel(shown())] : []),
    table: () => ({
      caption: "Simulated beside counted cycles",
      columns: [
        { title: "Kernel", value: (row) => row.label },
        { title: "Problem", value: (row) => row.problemText },
        { title: "Counted cycles", isNumber: true, value: (row) => row.measuredCycles, text: (value) => number(value, 0) },
        { title: "Simulated cycles", isNumber: true, value: (row) => row.simulated.cycles,
          text: (value) => number(value, 0) },
        { title: "Error", isNumber: true, value: (row) => row.deviation, text: (value) => signedPercent(value) },
      ],
      rows: shown(),
    }),
  });
}
