// The page of `fa3prof history`: what changed, every series over the reports, and the reports.

const page = { figures: [], hidden: new Set(), labels: [], looks: new Map(), series: [], reports: [] };

/// The kernel, what tells simulated series and GPUs apart, and the conditions where a problem has several.
function seriesLabel(series, all) {
  const gpu = / on GPU \d+/.exec(series.name)?.[0] ?? "";
  const model = series.pipeline ? ` by ${series.pipeline} on ${series.machine}` : "";
  const twins = all.filter((other) => other.name === series.name && other.conditions !== series.conditions);
  return `${series.kernel}${gpu}${model}${twins.length ? ` (${series.conditions})` : ""}`;
}

function readHistory() {
  const history = JSON.parse(section("data").textContent);
  page.reports = history.reports;
  page.series = history.series.map((series) =>
    ({ ...series, label: seriesLabel(series, history.series), problemText: problemName(series) }));
  page.labels = distinct(page.series.map((series) => series.label));
  page.looks = assignLooks(page.labels);
  section("written-by").textContent = `Written by fa3prof ${history.tool_version} (${history.tool_commit}).`;
  section("subtitle").textContent = `${page.reports.length} reports, ${dateText(page.reports[0].created_at)} to ` +
    dateText(page.reports.at(-1).created_at);
  section("rule").textContent = `Levels of the times that are, at the 5 % level, no chance (E-divisive) and at least two
    reports long. A level is a change where it is slower or faster than the one before it by more than
    ${percent(history.max_regression_ratio)}, in time and in cycles.`;
  for (const warning of history.warnings) {
    section("content").prepend(element("p", { class: "notice" }, warning));
  }
}

function changesOf(series) {
  return series.points.filter((point) => point.is_change).map((point) => ({ series, point }));
}

const CHANGE_COLUMNS = [
  { title: "Series", value: ({ series }) => series.label },
  { title: "Problem", value: ({ series }) => series.problemText },
  { title: "Change", isNumber: true, value: ({ point }) => point.level_change_ratio, text: (value) => signedPercent(value),
    isBad: (value) => value > 0 },
  { title: "Since", value: ({ point }) => page.reports[point.report].name },
  { title: "Written", value: ({ point }) => dateText(page.reports[point.report].created_at) },
  { title: "Commit", value: ({ point }) => page.reports[point.report].tool_commit },
];

function showChanges() {
  const rows = page.series.flatMap(changesOf).sort((a, b) => b.point.report - a.point.report);
  section("changes").append(rows.length
    ? scrolling(table({ caption: "Every change, the latest first", columns: CHANGE_COLUMNS, rows }), "Changes")
    : element("p", {}, "None."));
}

function pointText(series, point) {
  const report = page.reports[point.report];
  const change = point.is_change ? `\n${signedPercent(point.level_change_ratio)}, a new level` : "";
  return `${series.label}, ${number(point.time_us)} µs\n${report.name}, ${dateText(report.created_at)}${change}`;
}

function courseOf(series) {
  return {
    type: "line", color: kernelColour(series.label), symbol: chartSymbol(series.label), symbolSize: 6,
    showAllSymbol: true, lineStyle: { width: 1.4 },
    data: series.points.map((point) => ({
      value: [point.report, point.time_us], text: pointText(series, point), symbolSize: point.is_change ? 16 : 6,
      label: { show: point.is_change, position: "top", color: colour("text"), formatter: () =>
        signedPercent(point.level_change_ratio) },
    })),
  };
}

function coursePanel(shown) {
  return {
    title: "Time in µs", summary: `${shown.map((series) => series.label).join(", ")}, report by report.`,
    option: {
      grid: { left: 72, right: 24, top: 30, bottom: 40 },
      xAxis: axis({ type: "value", min: 0, max: Math.max(1, page.reports.length - 1), minInterval: 1,
        splitLine: { show: false }, axisLabel: { formatter: (index) =>
          page.reports[index] ? dateText(page.reports[index].created_at).slice(0, 10) : "" } }),
      yAxis: axis({ type: "value", scale: true, axisLabel: { formatter: (value) => number(value, 0) } }),
      dataZoom: [{ type: "inside", zoomOnMouseWheel: "ctrl", moveOnMouseWheel: false }],
      series: shown.map(courseOf),
    },
  };
}

function courseTable(shown) {
  const at = (series, index) => series.points.find((point) => point.report === index);
  return {
    caption: "Median times in µs",
    columns: [
      { title: "Report", value: (index) => page.reports[index].name },
      { title: "Written", value: (index) => dateText(page.reports[index].created_at) },
      ...shown.map((series) => ({ title: series.label, isNumber: true, value: (index) => at(series, index)?.time_us,
        text: (value) => number(value) })),
    ],
    rows: page.reports.map((_, index) => index),
  };
}

function showCourse() {
  const problems = distinct(page.series.map((series) => series.problemText));
  let chosen = page.series.find((series) => changesOf(series).length)?.problemText ?? problems[0];
  const ofProblem = () => page.series.filter((series) => series.problemText === chosen);
  const shown = () => ofProblem().filter((series) => !page.hidden.has(series.label));
  const figure = addFigure("course", {
    id: "times", title: "Report by report", note: "Zoom with Ctrl and the wheel, or by pinching; drag to move.",
    legend: () => kernelLegend(distinct(ofProblem().map((series) => series.label))),
    controls: [choice("Problem", problems.map((text) => [text, text]), chosen, (value) => {
      chosen = value;
      figure.update();
    })],
    height: () => 320,
    panels: () => [coursePanel(shown())],
    table: () => courseTable(shown()),
  });
}

const REPORT_COLUMNS = [
  { title: "Report", value: (report) => report.name },
  { title: "Written", value: (report) => dateText(report.created_at) },
  { title: "GPU", value: (report) => report.gpu ?? "simulated" },
  { title: "Driver", value: (report) => report.driver },
  { title: "fa3prof", value: (report) => `${report.tool_version} (${report.tool_commit})` },
];

function showReports() {
  section("reports").append(scrolling(table({
    caption: "In the order in which they were written", columns: REPORT_COLUMNS, rows: page.reports }), "Reports"));
}

readHistory();
followTheme();
showChanges();
// The chart library stands behind this script.
document.addEventListener("DOMContentLoaded", () => requestAnimationFrame(() => setTimeout(() => {
  showCourse();
  showReports();
  printWhole();
  section("print").addEventListener("click", () => window.print());
  document.documentElement.dataset.ready = "true";
})));
