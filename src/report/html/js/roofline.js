// The roofline: one panel for each machine and head_dim, since the exponentials' roof depends on it.

const ROOF_NAMES = { tensor_fp16: "tensor FP16", tensor_fp8: "tensor FP8", exponentials: "exponentials (MUFU)", l2: "L2",
  hbm: "HBM" };
const FP8 = "fp8_e4m3";

/// Where a row stands: [{level, intensity, basis}]. Without counted bytes the fewest that the problem needs stand for
/// those of the memory.
function levelsOf(row) {
  const values = row.measured?.counters?.values ?? {};
  const result = row.measured ?? row.simulated;
  const flops = result.flops_convention;
  const found = [];
  if (values.dram_bytes > 0) found.push({ level: "hbm", intensity: flops / values.dram_bytes, basis: "counted" });
  else if (result.min_bytes > 0) found.push({ level: "hbm", intensity: flops / result.min_bytes, basis: "fewest possible" });
  if (values.l2_bytes > 0) found.push({ level: "l2", intensity: flops / values.l2_bytes, basis: "counted" });
  return found;
}

function pointText(row, place) {
  return [`${row.label}: ${problemName(row)}`, `${number(tflopsOf(row))} TFLOPS`,
    `${number(place.intensity, 0)} FLOP for each byte of ${ROOF_NAMES[place.level]} (${place.basis})`].join("\n");
}

function pointSeries(label, rows, level) {
  const own = kernelColour(label);
  return {
    type: "scatter", symbol: level === "hbm" ? "circle" : "diamond", symbolSize: level === "hbm" ? 9 : 11, z: 4,
    itemStyle: level === "hbm" ? { color: own, borderColor: colour("surface"), borderWidth: 1, opacity: 0.9 }
      : { color: colour("surface"), borderColor: own, borderWidth: 2 },
    data: rows.flatMap((row) => levelsOf(row).filter((place) => place.level === level).map((place) =>
      ({ value: [place.intensity, tflopsOf(row)], text: pointText(row, place) }))),
  };
}

/// A roof as a line: a slope for bytes, level for FLOP. `scale` is the clock's part: 1 under load.
function roofLine(roof, range, isAtMaxClock) {
  const suffix = isAtMaxClock ? "_at_max_clock" : "";
  const css = { hbm: "series-8", l2: "series-4", exponentials: "series-2" }[roof.unit] ?? "text";
  const style = { color: colour(css), width: isAtMaxClock ? 1 : 2, type: isAtMaxClock ? [2, 4] : "solid" };
  const position = { memory: "insideStartTop", compute: roof.unit === "exponentials" ? "insideEndBottom" : "insideEndTop" };
  const label = isAtMaxClock ? { show: false } : { show: true, color: colour(css), fontSize: 11,
    position: position[roof.kind], formatter: roofLabel(roof) };
  const ends = roof.kind === "memory"
    ? slopeEnds(roof[`bytes_per_s${suffix}`] / 1e12, range)
    : [[range.left, roof[`flop_per_s${suffix}`] / 1e12], [range.right, roof[`flop_per_s${suffix}`] / 1e12]];
  return [{ coord: ends[0], lineStyle: style, label, symbol: "none" }, { coord: ends[1], symbol: "none" }];
}

/// tera: TB/s. From the panel's left or lower edge to its upper one; a line that leaves the panel by a rounding is not
/// drawn.
function slopeEnds(tera, range) {
  const from = Math.max(range.left, range.bottom / tera) * 1.0001;
  const to = Math.min(range.right, range.top / tera) / 1.0001;
  return [[from, from * tera], [to, to * tera]];
}

function roofLabel(roof) {
  const value = roof.kind === "memory" ? bytesPerSecond(roof.bytes_per_s) : `${number(roof.flop_per_s / 1e12, 0)} TFLOPS`;
  return `${ROOF_NAMES[roof.unit]} ${value}`;
}

function rangeOf(rows, roofs) {
  const intensities = rows.flatMap(levelsOf).map((place) => place.intensity);
  const compute = roofs.filter((roof) => roof.kind === "compute").map((roof) => roof.flop_per_s_at_max_clock / 1e12);
  const rates = rows.map(tflopsOf);
  return {
    left: power(10, Math.min(...intensities) / 2, Math.floor), right: power(10, Math.max(...intensities) * 1.5, Math.ceil),
    bottom: power(2, Math.min(...rates) / 1.5, Math.floor), top: Math.max(...compute, ...rates) * 1.3,
  };
}

function rooflinePanel(machine, headDim, rows) {
  const hasFp8 = rows.some((row) => row.dtype === FP8);
  const roofs = rows[0].report.roofs.filter((roof) => roof.head_dim === headDim && (hasFp8 || roof.unit !== "tensor_fp8"));
  const range = rangeOf(rows, roofs);
  const labels = page.labels.filter((label) => rows.some((row) => row.label === label));
  const lines = roofs.flatMap((roof) => [roofLine(roof, range, true), roofLine(roof, range, false)]);
  return {
    title: `head dim ${headDim}, ${machine}`,
    summary: `${roofs.map(roofLabel).join(", ")}; ${countText(rows.length, "row")} below them.`,
    option: {
      grid: { left: 50, right: 14, top: 12, bottom: 44 },
      xAxis: axis({ type: "log", min: range.left, max: range.right, name: "FLOP per byte", nameLocation: "middle",
        nameGap: 26, axisLabel: { formatter: (value) => number(value, 0), hideOverlap: true } }),
      yAxis: axis({ type: "log", logBase: 2, min: range.bottom, max: range.top, axisLabel: { showMaxLabel: false,
        formatter: (value) => number(value, 0) } }),
      series: [
        { type: "scatter", silent: true, data: [[range.left, range.bottom]], symbolSize: 0, z: 1,
          markLine: { silent: true, symbol: "none", data: lines } },
        ...labels.flatMap((label) => ["hbm", "l2"].map((level) =>
          pointSeries(label, rows.filter((row) => row.label === label), level))),
      ],
    },
  };
}

function roofTable(reports) {
  const roofs = reports.flatMap((report) => report.roofs.map((roof) => ({ ...roof, machine: report.machine })));
  const seen = distinct(roofs.map((roof) => JSON.stringify(roof))).map((text) => JSON.parse(text));
  return {
    caption: "Roofs at the clock under load, from the machine file",
    columns: [
      { title: "Roof", value: (roof) => ROOF_NAMES[roof.unit] },
      { title: "Machine", value: (roof) => roof.machine },
      { title: "Head dim", isNumber: true, value: (roof) => roof.head_dim },
      { title: "Value", value: (roof) => (roof.kind === "memory" ? bytesPerSecond(roof.bytes_per_s)
        : `${number(roof.flop_per_s / 1e12)} TFLOPS`) },
      { title: "From", value: (roof) => roof.formula },
    ],
    rows: seen,
  };
}

function showRoofline() {
  const rows = page.rows.filter((row) => isNumber(tflopsOf(row)) && row.report.roofs.length && levelsOf(row).length);
  if (!rows.length) {
    removeSection("roofline");
    return;
  }
  const shown = () => visibleRows().filter((row) => rows.includes(row));
  const panelKey = (row) => JSON.stringify([row.report.machine, row.problem.head_dim]);
  addFigure("roofline", {
    id: "roofs", title: "TFLOPS over FLOP per byte", columns: 3,
    note: "Roofs at the clock that the machine file states under load; dotted, the same at its highest clock.",
    legend: () => [...kernelLegend(),
      legendKey(swatch("var(--muted)", "circle"), "by bytes of HBM"),
      legendKey(outline(SYMBOL_PATHS.diamond), "by bytes of L2")],
    height: () => 330,
    panels: () => distinct(shown().map(panelKey)).map((key) => JSON.parse(key)).sort((a, b) => a[1] - b[1])
      .map(([machine, headDim]) => rooflinePanel(machine, headDim,
        shown().filter((row) => panelKey(row) === JSON.stringify([machine, headDim])))),
    table: () => ({
      caption: "Where each row stands",
      columns: [
        { title: "Kernel", value: (row) => row.label },
        { title: "Problem", value: (row) => row.problemText },
        { title: "TFLOPS", isNumber: true, value: tflopsOf, text: (value) => number(value) },
        ...["hbm", "l2"].map((level) => ({ title: `FLOP per byte of ${ROOF_NAMES[level]}`, isNumber: true,
          value: (row) => levelsOf(row).find((place) => place.level === level)?.intensity,
          text: (value) => number(value, 0) })),
      ],
      rows: shown(),
    }),
  });
  const roofs = table(roofTable(distinct(rows.map((row) => row.report))));
  section("roofline").append(element("details", {}, element("summary", {}, "Table: the roofs"),
    scrolling(roofs, roofs.caption.textContent)));
}
