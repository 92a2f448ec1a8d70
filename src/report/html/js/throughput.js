// TFLOPS: bars of the kernels at one length, and lines over the lengths; a panel for each family.

function rowText(row) {
  const measured = row.measured;
  const lines = [`${row.label}: ${problemName(row)}`];
  if (isNumber(measured?.tflops)) {
    lines.push(`${number(measured.tflops)} TFLOPS ${halfWidth(measured.timing?.median_ci95_us)}`,
      `${number(measured.time_us)} µs, ${percent(measured.tflops / measured.peak_tflops)} of peak`);
  }
  if (isNumber(row.simulated?.tflops)) lines.push(`simulated ${number(row.simulated.tflops)} TFLOPS`);
  const speedup = row.speedup?.measured_time_ratio;
  if (isNumber(speedup)) lines.push(`${times(speedup)} over ${row.speedup.baseline}`);
  return lines.join("\n");
}

/// TFLOPS at the ends of the 95 % interval of the median time.
function tflopsInterval(result) {
  const ci95 = result.timing?.median_ci95_us;
  if (!ci95 || !ci95.lower) return undefined;
  return [result.tflops * result.time_us / ci95.upper, result.tflops * result.time_us / ci95.lower];
}

function stroke(points, style) {
  return { type: "polyline", shape: { points }, style: { fill: "none", ...style } };
}

/// A 95 % interval as a whisker, the simulated value as an upright tick over the bar, the numbers beside both.
function drawMarks(api, row, index) {
  const marks = [];
  const at = (value, dy) => {
    const [x, y] = api.coord([value, index]);
    return [x, y + dy];
  };
  const interval = row.measured && isNumber(row.measured.tflops) ? tflopsInterval(row.measured) : undefined;
  if (interval) {
    const style = { stroke: colour("text"), lineWidth: 1.2 };
    marks.push(stroke([at(interval[0], 0), at(interval[1], 0)], style),
      ...interval.map((value) => stroke([at(value, -3), at(value, 3)], style)));
  }
  const isBeside = isNumber(row.simulated?.tflops) && row.measured;
  if (isBeside) {
    marks.push(stroke([at(row.simulated.tflops, -11), at(row.simulated.tflops, 11)],
      { stroke: colour("surface"), lineWidth: 5 }));
    marks.push(stroke([at(row.simulated.tflops, -11), at(row.simulated.tflops, 11)],
      { stroke: colour("text"), lineWidth: 2 }));
  }
  const [x, y] = at(Math.max(tflopsOf(row), isBeside ? row.simulated.tflops : 0), 0);
  marks.push({ type: "text", x: x + 9, y, style: { text: barText(row), fill: colour("text"), fontSize: 12,
    textVerticalAlign: "middle" } });
  return { type: "group", children: marks };
}

/// "741 · 69 %"
function barText(row) {
  const result = isNumber(row.measured?.tflops) ? row.measured : row.simulated;
  const share = ratioOf(result.tflops, result.peak_tflops);
  return number(result.tflops, 0) + (isNumber(share) ? ` · ${percent(share, 0)}` : "");
}

function barItem(row) {
  const own = kernelColour(row.label);
  return {
    value: tflopsOf(row), text: rowText(row),
    itemStyle: isNumber(row.measured?.tflops) ? { color: own }
      : { color: "transparent", borderColor: own, borderWidth: 1.5, borderType: "dashed" },
  };
}

function barPanel(family, rows, largest) {
  return {
    title: page.families.get(family),
    summary: rows.map((row) => `${row.label} ${number(tflopsOf(row), 0)} TFLOPS`).join(", ") + ".",
    rows: rows.length,
    option: {
      grid: { left: 8, right: 12, top: 6, bottom: 8, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
      xAxis: axis({ type: "value", max: largest * 1.45, axisLabel: { show: false }, splitLine: { show: false } }),
      yAxis: axis({ type: "category", inverse: true, data: rows.map((row) => row.label), axisTick: { show: false },
        axisLabel: { color: colour("text"), fontSize: 13 } }),
      series: [
        { type: "bar", barWidth: 18, data: rows.map(barItem) },
        { type: "custom", silent: true, z: 5, data: rows.map((row, index) => [tflopsOf(row), index]),
          renderItem: (parameters, api) => drawMarks(api, rows[parameters.dataIndex], parameters.dataIndex) },
      ],
    },
  };
}

const THROUGHPUT_COLUMNS = [
  { title: "Kernel", value: (row) => row.label },
  { title: "Problem", value: (row) => row.problemText },
  { title: "TFLOPS", isNumber: true, value: (row) => row.measured?.tflops, text: (value) => number(value) },
  { title: "95 % interval", value: (row) => halfWidth(row.measured?.timing?.median_ci95_us) || NOT_THERE },
  { title: "% of peak", isNumber: true, value: (row) => ratioOf(row.measured?.tflops, row.measured?.peak_tflops),
    text: (value) => percent(value) },
  { title: "Simulated TFLOPS", isNumber: true, value: (row) => row.simulated?.tflops, text: (value) => number(value) },
];

function ratioOf(numerator, denominator) {
  return isNumber(numerator) && denominator > 0 ? numerator / denominator : undefined;
}

/// What stands for simulated values, where the rows have any beside measured ones: a path in a 14 x 14 box.
function simulatedKey(rows, path) {
  if (!rows.some((row) => isNumber(row.simulated?.tflops) && row.measured)) return [];
  return [legendKey(outline(path), "simulated")];
}

/// What the shares are of; a report of several types has several.
function peakBasis(rows) {
  return distinct(rows.map((row) => (row.measured ?? row.simulated).peak_basis).filter(Boolean)).join("; ");
}

function addBars(rows) {
  const lengths = distinct(rows.map((row) => row.problem.seqlen_q)).sort((a, b) => a - b);
  const fullest = (length) => rows.filter((row) => row.problem.seqlen_q === length).length;
  let chosen = lengths.reduce((best, length) => (fullest(length) >= fullest(best) ? length : best));
  const shown = () => visibleRows().filter((row) => rows.includes(row) && row.problem.seqlen_q === chosen);
  const figure = addFigure("throughput", {
    id: "bars", title: "Kernels at one length", columns: 3,
    note: `TFLOPS and the share of the tensor peak (${peakBasis(rows)}). Whiskers: 95 % interval of the median.`,
    legend: () => [...kernelLegend(), ...simulatedKey(rows, "M7 1v12")],
    controls: lengths.length > 1 ? [choice("Tokens", lengths.map((n) => [String(n), tokens(n)]), String(chosen),
      (value) => { chosen = Number(value); figure.update(); })] : undefined,
    height: (panel) => 22 + 31 * panel.rows,
    panels: () => {
      const largest = Math.max(...shown().flatMap((row) => [row.measured?.tflops, row.simulated?.tflops]).filter(isNumber));
      return sortedFamilies(shown()).map((family) =>
        barPanel(family, shown().filter((row) => row.family === family), largest));
    },
    table: () => ({ caption: `TFLOPS at ${tokens(chosen)} tokens`, columns: THROUGHPUT_COLUMNS, rows: shown() }),
  });
}

/// Points of one kernel over the lengths. A length that comes twice (batch sizes) is two points.
function lineData(rows, read) {
  return rows.filter((row) => isNumber(read(row))).sort((a, b) => a.problem.seqlen_q - b.problem.seqlen_q)
    .map((row) => ({ value: [row.problem.seqlen_q, read(row)], text: rowText(row) }));
}

function linePanel(family, rows, range) {
  const labels = page.labels.filter((label) => rows.some((row) => row.label === label));
  const of = (label) => rows.filter((row) => row.label === label);
  const series = labels.flatMap((label) => [
    { type: "line", color: kernelColour(label), lineStyle: { width: 2.2 }, symbol: chartSymbol(label), symbolSize: 8,
      showAllSymbol: true, data: lineData(of(label), (row) => row.measured?.tflops) },
    { type: "line", color: kernelColour(label), lineStyle: { width: 1.4, type: [5, 4] }, symbol: "none", silent: true,
      data: lineData(of(label), (row) => row.simulated?.tflops) },
  ]);
  return {
    title: page.families.get(family), summary: `TFLOPS over sequence length of ${labels.join(", ")}.`,
    option: {
      grid: { left: 46, right: 14, top: 12, bottom: 26 },
      xAxis: axis({ type: "log", logBase: 2, min: range.shortest, max: range.longest, axisLabel: { formatter: tokens,
        hideOverlap: true }, splitLine: { show: false } }),
      yAxis: axis({ type: "value", min: 0, max: range.top }),
      series,
    },
  };
}

function addLines(rows) {
  const lengthsOf = (family) => distinct(rows.filter((row) => row.family === family).map((row) => row.problem.seqlen_q));
  const isLine = (row) => lengthsOf(row.family).length > 1;
  const lined = rows.filter(isLine);
  if (!lined.length) return;
  const lengths = lined.map((row) => row.problem.seqlen_q);
  const largest = Math.max(...lined.flatMap((row) => [row.measured?.tflops, row.simulated?.tflops]).filter(isNumber));
  const range = { top: Math.ceil(largest / 200) * 200, shortest: power(2, Math.min(...lengths), Math.floor),
    longest: power(2, Math.max(...lengths), Math.ceil) };
  const shown = () => visibleRows().filter((row) => lined.includes(row));
  addFigure("throughput", {
    id: "lines", title: "TFLOPS over sequence length", columns: 3,
    note: "Simulated TFLOPS are at the clock that the machine file states under load, which a run below a power cap may " +
      "not reach; the model's error in cycles stands further down.",
    legend: () => [...kernelLegend(), ...simulatedKey(lined, "M0 7h4m2 0h4m2 0h2")],
    height: () => 230,
    panels: () => sortedFamilies(shown()).map((family) =>
      linePanel(family, shown().filter((row) => row.family === family), range)),
    table: () => ({ caption: "TFLOPS over sequence length", columns: THROUGHPUT_COLUMNS,
      rows: sortedFamilies(shown()).flatMap((family) => shown().filter((row) => row.family === family)
        .sort((a, b) => a.problem.seqlen_q - b.problem.seqlen_q)) }),
  });
}

function showThroughput() {
  const rows = page.rows.filter((row) => isNumber(tflopsOf(row)));
  if (!rows.length) {
    removeSection("throughput");
    return;
  }
  addBars(rows);
  addLines(rows);
}
