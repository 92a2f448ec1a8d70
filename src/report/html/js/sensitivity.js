// Which of the machine's numbers a simulated result follows: a tornado for each kernel and problem.

const mostBars = 16;

function sensitiveResults() {
  return page.reports.flatMap((report) => report.results.filter((result) => result.sensitivities?.length));
}

function sensitivityName(result) {
  return `${result.pipeline} on ${result.machine}, ${problemName({ problem: result.problem })}`;
}

function movedText(moved) {
  return isNumber(moved.time_ratio) ? `time ${signedPercent(moved.time_ratio - 1, 2)}` : "cannot run";
}

function tornadoPanel(result) {
  const shown = result.sensitivities.filter((each) => isNumber(each.lower.time_ratio) && isNumber(each.upper.time_ratio))
    .slice(0, mostBars).reverse();
  const bars = (side, name, at) => ({
    type: "bar", barGap: "-100%", barWidth: 12, itemStyle: { color: at },
    data: shown.map((each) => ({
      value: each[side].time_ratio - 1,
      text: `${each.number} ${name}: ${number(each.value, 4)} to ${number(each[side].value, 4)}\n${movedText(each[side])}`,
    })),
  });
  return {
    title: sensitivityName(result),
    summary: `How the time of ${sensitivityName(result)} follows ${countText(shown.length, "number")} of the machine.`,
    option: {
      grid: { left: 250, right: 24, top: 8, bottom: 30 },
      xAxis: axis({ type: "value", axisLabel: { formatter: (value) => (value ? signedPercent(value, 1) : "0 %") } }),
      yAxis: axis({ type: "category", data: shown.map((each) => each.number), axisLabel: { interval: 0 } }),
      series: [bars("lower", "less", colour("series-1")), bars("upper", "more", colour("series-2"))],
    },
  };
}

function showSensitivity() {
  const results = sensitiveResults();
  if (!results.length) {
    removeSection("sensitivity");
    return;
  }
  addFigure("sensitivity", {
    id: "tornado", title: "What the time follows",
    note: "Numbers without which the kernel cannot run are in the table only.",
    legend: () => ["less", "more"].map((name, index) =>
      element("li", {}, swatch(`var(--series-${index + 1})`), name)),
    height: (panel) => 50 + 22 * panel.option.yAxis.data.length,
    panels: () => results.map(tornadoPanel),
    table: () => ({
      caption: "Time with one number of the machine moved, over the time without",
      columns: [
        { title: "Result", value: (row) => sensitivityName(row.result) },
        { title: "Number", value: (row) => row.number },
        { title: "Value", isNumber: true, value: (row) => row.value, text: (value) => number(value, 4) },
        { title: "Less", isNumber: true, value: (row) => row.lower.value, text: (value) => number(value, 4) },
        { title: "Time with less", isNumber: true, value: (row) => row.lower.time_ratio ?? null,
          text: (value) => (isNumber(value) ? signedPercent(value - 1, 2) : "cannot run") },
        { title: "More", isNumber: true, value: (row) => row.upper.value, text: (value) => number(value, 4) },
        { title: "Time with more", isNumber: true, value: (row) => row.upper.time_ratio ?? null,
          text: (value) => (isNumber(value) ? signedPercent(value - 1, 2) : "cannot run") },
      ],
      rows: results.flatMap((result) => result.sensitivities.map((each) => ({ ...each, result }))),
    }),
  });
}
