// Every timed launch of a problem's kernels in order: time against its median, the SM clock, and the power where a
// report has it for every launch.

/// The series that a launch has, one chart below the other.
const SAMPLE_SERIES = [
  { title: "Time over the median", read: (timing) => timing.samples_us?.map((value) => value / timing.median_us - 1),
    axisText: (value) => (value ? signedPercent(value, 0) : "0 %"),
    text: (value, timing, index) => `${number(timing.samples_us[index])} µs, ${signedPercent(value)}` },
  { title: "SM clock in MHz", read: (timing) => timing.samples_clock_mhz,
    axisText: (value) => number(value, 0), text: (value) => `${number(value, 0)} MHz` },
  { title: "Power in watts", read: (timing) => timing.samples_power_watts,
    axisText: (value) => number(value, 0), text: (value) => `${number(value, 0)} W` },
];

function samplePanel(kind, rows) {
  const series = rows.filter((row) => kind.read(row.measured.timing)?.length).map((row) => {
    const timing = row.measured.timing;
    const every = timing.samples_kept_every ?? 1;
    return {
      type: "line", color: kernelColour(row.label), symbol: chartSymbol(row.label), symbolSize: 5, showSymbol: true,
      showAllSymbol: timing.samples_us.length <= 120, lineStyle: { width: 1.4 },
      data: kind.read(timing).map((value, index) => ({ value: [index * every + 1, value],
        text: `${row.label}, launch ${index * every + 1}\n${kind.text(value, timing, index)}` })),
    };
  });
  return {
    title: kind.title, summary: `${rows.map((row) => row.label).join(", ")}, launch by launch.`,
    option: {
      grid: { left: 62, right: 16, top: 10, bottom: 28 },
      xAxis: axis({ type: "value", min: 1, max: "dataMax", minInterval: 1, splitLine: { show: false } }),
      yAxis: axis({ type: "value", scale: true, axisLabel: { formatter: kind.axisText } }),
      dataZoom: [{ type: "inside", zoomOnMouseWheel: "ctrl", moveOnMouseWheel: false }],
      series,
    },
  };
}

const STATE_COLUMNS = [
  { title: "Kernel", value: (row) => row.label },
  { title: "Launches", isNumber: true,
    value: (row) => row.measured.timing.samples_us.length * (row.measured.timing.samples_kept_every ?? 1),
    text: (value, row) => (row.measured.timing.samples_kept_every
      ? `about ${number(value, 0)}, every ${row.measured.timing.samples_kept_every}. kept` : number(value, 0)) },
  { title: "Median µs", isNumber: true, value: (row) => row.measured.timing.median_us, text: (value) => number(value) },
  { title: "95 % interval", value: (row) => halfWidth(row.measured.timing.median_ci95_us) },
  { title: "Mean MHz", isNumber: true, value: (row) => row.measured.clocks?.sm_clock_mhz, text: (value) => number(value, 0) },
  { title: "MHz from to", value: (row) => (row.measured.clocks
    ? `${number(row.measured.clocks.sm_clock_min_mhz, 0)}–${number(row.measured.clocks.sm_clock_max_mhz, 0)}` : undefined) },
  { title: "Mean W", isNumber: true, value: (row) => row.measured.clocks?.power_watts, text: (value) => number(value, 0) },
  { title: "°C", isNumber: true, value: (row) => row.measured.clocks?.temperature_celsius, text: (value) => number(value, 0) },
  { title: "Held back by", value: (row) => (row.measured.clocks
    ? row.measured.clocks.throttle_reasons.join(", ") || "nothing" : undefined) },
  { title: "L2", value: (row) => row.measured.timing.cache },
];

function showSamples() {
  const rows = page.rows.filter((row) => row.measured?.timing?.samples_us.length);
  if (!rows.length) {
    removeSection("samples");
    return;
  }
  let chosen = favouriteProblem(rows);
  const shown = () => visibleRows().filter((row) => rows.includes(row) && row.problemText === chosen);
  const figure = addFigure("samples", {
    id: "launches", title: "Launch by launch", hasRawTable: true,
    note: "Zoom with Ctrl and the wheel, or by pinching; drag to move.",
    legend: () => kernelLegend(distinct(rows.filter((row) => row.problemText === chosen).map((row) => row.label))),
    below: () => [scrolling(table({ caption: `While timing ${chosen}`, columns: STATE_COLUMNS, rows: shown() }),
      "While timing")],
    controls: [problemChoice(rows, chosen, (value) => { chosen = value; figure.update(); })],
    height: () => 200,
    panels: () => SAMPLE_SERIES.filter((kind) => shown().some((row) => kind.read(row.measured.timing)?.length))
      .map((kind) => samplePanel(kind, shown())),
    table: () => ({
      caption: `Every launch that the page keeps: ${chosen}`,
      columns: [
        { title: "Launch", isNumber: true, value: (index) => index + 1 },
        ...shown().flatMap((row) => SAMPLE_SERIES.filter((kind) => kind.read(row.measured.timing)?.length).map((kind) =>
          ({ title: `${row.label}: ${kind.title.toLowerCase()}`, isNumber: true,
            value: (index) => kind.read(row.measured.timing)[index],
            text: (value, index) => (isNumber(value) ? kind.text(value, row.measured.timing, index) : NOT_THERE) }))),
      ],
      rows: [...Array(Math.max(0, ...shown().map((row) => row.measured.timing.samples_us.length))).keys()],
    }),
  });
}
