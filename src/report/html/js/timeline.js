// What the roles of one CTA do when: measured by stamps above, simulated below, on one axis of cycles.

/// Which part of a breakdown a span looks like, by its name; the first that fits.
const SPAN_PARTS = [
  [/^wait /, "rest"],
  [/turn|barrier/, "barrier"],
  [/issue|scores|output/, "tensor_busy"],
  [/^load |^TMA|^[qkv]$/i, "load_exposed"],
  [/control|epilogue|decode|draw|initialise|setmaxnreg|descriptors|normalise|^o$/, "ramp"],
];
const SPAN_LEGEND = { tensor_busy: "GEMMs", softmax_exposed: "softmax", load_exposed: "loads", barrier: "turns and barriers",
  ramp: "control, epilogue" };
const SHOWN_CYCLES = 9000;  // at first: a few key blocks
const FEWEST_CYCLES = 40;
const ROW_PIXELS = 24;

function partOfSpan(name) {
  const found = SPAN_PARTS.find(([pattern]) => pattern.test(name));
  const category = found ? found[1] : "softmax_exposed";
  return [...PARTS, REST].find((part) => part.category === category);
}

/// Spans that overlap lie in lanes below each other: [{name, begin, length, lane}], lanes.
function inLanes(track) {
  const ends = [];
  const spans = track.begins.map((begin, index) => {
    const length = track.lengths[index];
    let lane = track.overlaps ? ends.findIndex((end) => end <= begin) : 0;
    if (lane < 0) lane = ends.length;
    ends[lane] = begin + length;
    return { name: track.names[track.kinds[index]], begin, length, lane };
  });
  return { spans, lanes: Math.max(1, ends.length) };
}

/// The tracks of a row, measured before simulated: {source, name, clock_mhz, spans, lanes}.
function tracksOf(row) {
  return [["measured", row.measured?.timeline], ["simulated", row.simulated?.timeline]].flatMap(([source, timeline]) =>
    (timeline?.tracks ?? []).map((track) =>
      ({ source, process: timeline.name, clock_mhz: timeline.clock_mhz, name: track.name, ...inLanes(track) })));
}

function spanText(track, span) {
  const us = (cycles) => number(cycles / track.clock_mhz, 2);
  return `${span.name}, ${number(span.length, 0)} cycles\n${track.source}: ${track.name}\n` +
    `from cycle ${number(span.begin, 0)} to ${number(span.begin + span.length, 0)}\n` +
    `${us(span.begin)} to ${us(span.begin + span.length)} µs`;
}

/// A span as a box with its name, where there is room; a wait is a frame.
function drawSpan(parameters, api) {
  const [row, begin, end, lane, lanes] = [0, 1, 2, 3, 4].map((dimension) => api.value(dimension));
  const [left, middle] = api.coord([begin, row]);
  const right = api.coord([end, row])[0];
  const { x, width } = parameters.coordSys;
  const from = Math.max(left, x);
  const to = Math.min(right, x + width);
  if (to - from < 0.3) return undefined;
  const height = (ROW_PIXELS - 5) / lanes;
  const shape = { x: from, y: middle - (ROW_PIXELS - 5) / 2 + lane * height, width: to - from,
    height: Math.max(1, height - (lanes > 1 ? 1 : 0)) };
  const { name, part } = page.spans[parameters.dataIndex];
  const hasRoom = shape.height >= 11 && shape.width > 6.5 * name.length + 6;
  return {
    type: "rect", shape,
    style: { fill: colour(part.css), stroke: colour("surface"), lineWidth: shape.width > 3 ? 0.6 : 0 },
    textConfig: { position: "inside" },
    textContent: { type: "text", style: { text: hasRoom ? name : "", fontSize: 11, fill: inkOn(part) } },
  };
}

function timelineOption(tracks, view) {
  page.spans = tracks.flatMap((track) => track.spans.map((span) => ({ name: span.name, part: partOfSpan(span.name) })));
  return {
    grid: { left: 8, right: 20, top: 6, bottom: 74, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
    xAxis: axis({ type: "value", min: 0, max: view.end, name: "cycles since the beginning", nameLocation: "middle",
      nameGap: 26, axisLabel: { formatter: (value) => number(value, 0), hideOverlap: true } }),
    yAxis: axis({ type: "category", inverse: true, data: tracks.map((track) => `${track.source}: ${track.name}`),
      axisTick: { show: false }, splitLine: { show: true }, axisLabel: { color: colour("text"), fontSize: 12 } }),
    dataZoom: [
      { type: "inside", filterMode: "weakFilter", zoomOnMouseWheel: "ctrl", moveOnMouseWheel: false,
        minValueSpan: FEWEST_CYCLES, startValue: view.from, endValue: view.to },
      { type: "slider", filterMode: "weakFilter", height: 18, bottom: 8, minValueSpan: FEWEST_CYCLES,
        startValue: view.from, endValue: view.to, showDataShadow: false, brushSelect: false,
        borderColor: colour("line"), fillerColor: colour("grid"), textStyle: { color: colour("muted") },
        labelFormatter: (value) => number(value, 0) },
    ],
    series: [{
      type: "custom", renderItem: drawSpan, encode: { x: [1, 2], y: 0 }, clip: true,
      data: tracks.flatMap((track, row) => track.spans.map((span) => ({
        value: [row, span.begin, span.begin + span.length, span.lane, track.lanes], text: spanText(track, span) }))),
    }],
  };
}

/// What a role does again and again: number and mean length, measured beside simulated.
function meansOf(tracks) {
  const rows = new Map();
  for (const track of tracks) {
    for (const span of track.spans) {
      const key = `${track.name}, ${span.name}`;
      const row = rows.get(key) ?? { name: key, measured: [], simulated: [] };
      row[track.source].push(span.length);
      rows.set(key, row);
    }
  }
  return [...rows.values()];
}

function mean(values) {
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : undefined;
}

/// Spans of the window, track by track.
function spansWithin(tracks, view) {
  return tracks.flatMap((track) => track.spans.filter((span) =>
    span.begin < view.to && span.begin + span.length > view.from).map((span) => ({ track, ...span })));
}

function spanTable(tracks, view) {
  return {
    caption: `Spans from cycle ${number(view.from, 0)} to ${number(view.to, 0)}`,
    columns: [
      { title: "Track", value: (span) => `${span.track.source}: ${span.track.name}` },
      { title: "Does", value: (span) => span.name },
      { title: "From cycle", isNumber: true, value: (span) => span.begin, text: (value) => number(value, 0) },
      { title: "Cycles", isNumber: true, value: (span) => span.length, text: (value) => number(value, 0) },
      { title: "From µs", isNumber: true, value: (span) => span.begin / span.track.clock_mhz,
        text: (value) => number(value, 3) },
    ],
    rows: spansWithin(tracks, view),
  };
}

function meanTable(tracks) {
  const text = (value) => number(value, 0);
  const columns = ["measured", "simulated"].filter((source) => tracks.some((track) => track.source === source))
    .flatMap((source) => [
      { title: `${source}, times`, isNumber: true, value: (row) => row[source].length || undefined, text },
      { title: `${source}, mean cycles`, isNumber: true, value: (row) => mean(row[source]), text },
    ]);
  return { caption: "Mean length of what the tracks show, over the whole excerpt",
    columns: [{ title: "Step", value: (row) => row.name }, ...columns], rows: meansOf(tracks) };
}

/// The part of the timeline on the screen, moved by buttons, slider, wheel and fingers.
class TimelineView {
  constructor() {
    this.tracks = [];
  }

  show(row) {
    this.row = row;
    this.tracks = tracksOf(row);
    this.end = Math.max(...this.tracks.flatMap((track) => track.spans.map((span) => span.begin + span.length)));
    this.set(0, SHOWN_CYCLES);
  }

  set(from, to) {
    const length = Math.min(this.end, Math.max(FEWEST_CYCLES, to - from));
    this.from = Math.max(0, Math.min(from, this.end - length));
    this.to = this.from + length;
  }

  /// Around the middle, or aside by parts of the length.
  zoom(factor) {
    const half = ((this.to - this.from) * factor) / 2;
    const middle = (this.from + this.to) / 2;
    this.set(middle - half, middle + half);
  }

  move(part) {
    const step = (this.to - this.from) * part;
    this.set(this.from + step, this.to + step);
  }
}

function timelineButtons(view, apply) {
  const button = (label, act) => element("button", { type: "button", onclick: () => { act(); apply(); } }, label);
  return [
    button("Zoom in", () => view.zoom(0.5)), button("Zoom out", () => view.zoom(2)),
    button("Earlier", () => view.move(-0.5)), button("Later", () => view.move(0.5)),
    button("All", () => view.set(0, view.end)),
  ];
}

function timelineName(row) {
  return `${row.label}, ${problemName(row)}`;
}

function timelineSummary(view) {
  const processes = distinct(view.tracks.map((track) => track.process));
  return `${processes.join("; ")}. Cycles ${number(view.from, 0)} to ${number(view.to, 0)} of ${number(view.end, 0)}.`;
}

function showTimeline() {
  const rows = page.rows.filter((row) => row.measured?.timeline || row.simulated?.timeline);
  if (!rows.length) {
    removeSection("timeline");
    return;
  }
  const leftOut = page.reports.reduce((sum, report) => sum + (report.timelines_left_out ?? 0), 0);
  const view = new TimelineView();
  view.show(rows[0]);
  const options = rows.map((row, index) => [String(index), timelineName(row)]);
  const figure = addFigure("timeline", {
    id: "spans", title: "Roles and units over time", hasRawTable: true,
    note: "Zoom with the buttons, the slider, Ctrl and the wheel, or by pinching; drag to move. A wait is pale." +
      (leftOut ? ` ${number(leftOut, 0)} more timelines are in the reports.` : ""),
    legend: () => distinct(view.tracks.flatMap((track) => track.spans.map((span) => partOfSpan(span.name))))
      .map((part) => legendKey(swatch(`var(--${part.css})`), part === REST ? "waits" : SPAN_LEGEND[part.category])),
    controls: [
      choice("Kernel", options, "0", (value) => { view.show(rows[Number(value)]); figure.update(); }),
      ...timelineButtons(view, () => figure.charts[0]?.chart.dispatchAction({ type: "dataZoom", dataZoomIndex: 0,
        startValue: view.from, endValue: view.to })),
    ],
    height: () => 84 + ROW_PIXELS * view.tracks.length,
    panels: () => [{ summary: timelineSummary(view), option: timelineOption(view.tracks, view) }],
    drawn: (chart) => chart.on("datazoom", () => {
      const { startValue, endValue } = chart.getOption().dataZoom[0];
      view.set(startValue, endValue);
      figure.updateTable();
    }),
    reached: ({ seriesIndex, dataIndex }, chart) => {
      const [, begin, end] = chart.getOption().series[seriesIndex].data[dataIndex].value;
      if (begin >= view.from && end <= view.to) return;
      const length = view.to - view.from;
      view.set(begin - length / 4, begin + (length * 3) / 4);
      chart.dispatchAction({ type: "dataZoom", dataZoomIndex: 0, startValue: view.from, endValue: view.to });
    },
    below: () => [scrolling(table(meanTable(view.tracks)), "Mean lengths")],
    table: () => spanTable(view.tracks, view),
  });
}
