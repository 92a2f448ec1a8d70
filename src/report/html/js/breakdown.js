// Where the cycles go: one stacked bar for each measured and each simulated kernel of a problem.

/// [{category, cycles}] of a result; undefined where nothing is known. A measurement without a breakdown has the
/// cycles in which the tensor cores were active, and the rest.
function partsOf(result, cycles) {
  if (result?.breakdown?.length) return result.breakdown;
  const active = result?.counters?.values?.tensor_active_ratio;
  if (!isNumber(active) || !isNumber(cycles)) return undefined;
  return [{ category: "tensor_busy", cycles: active * cycles }, { category: REST.category, cycles: (1 - active) * cycles }];
}

/// The bars of one problem: {row, source, cycles, parts}.
function breakdownBars(rows) {
  return rows.flatMap((row) => [
    { row, source: "measured", cycles: row.measuredCycles, parts: partsOf(row.measured, row.measuredCycles) },
    { row, source: "simulated", cycles: row.simulated?.cycles, parts: partsOf(row.simulated, row.simulated?.cycles) },
  ]).filter((bar) => bar.parts);
}

/// The categories that occur, in the order in which they are stacked; unknown ones get the colours of series.
function categoriesOf(bars) {
  const found = distinct(bars.flatMap((bar) => bar.parts.map((part) => part.category)));
  const known = PARTS.filter((part) => found.includes(part.category));
  const others = found.filter((category) => category !== REST.category && !PARTS.some((p) => p.category === category))
    .map((category, index) => ({ category, css: `series-${(index % 8) + 1}`, name: words(category) }));
  return [...known, ...others, ...(found.includes(REST.category) ? [REST] : [])];
}

function cyclesOf(bar, category) {
  return bar.parts.find((part) => part.category === category)?.cycles;
}

function shareOf(bar, category) {
  const sum = bar.parts.reduce((total, part) => total + part.cycles, 0);
  return sum > 0 ? (cyclesOf(bar, category) ?? 0) / sum : undefined;
}

function barName(bar) {
  return `${bar.row.label}, ${bar.source}`;
}

/// How far a simulated part's share is from the measured one, where that is known, in points.
function differenceOf(bar, category) {
  const measured = partsOf(bar.row.measured, bar.row.measuredCycles);
  if (bar.source !== "simulated" || !measured?.some((part) => part.category === category)) return undefined;
  return shareOf(bar, category) - shareOf({ parts: measured }, category);
}

function differenceText(bar, category) {
  const difference = differenceOf(bar, category);
  return isNumber(difference) ? `\n${signedPercent(difference).replace(" %", " points")} against measured` : "";
}

function partItem(bar, part, isShare, longest) {
  const cycles = cyclesOf(bar, part.category) ?? 0;
  const share = shareOf(bar, part.category);
  const hasRoom = (isShare ? share : cycles / longest) >= 0.045;
  return {
    value: isShare ? share : cycles,
    text: `${barName(bar)}\n${part.name}: ${percent(share)}\n${number(cycles, 0)} of ${number(bar.cycles, 0)} cycles` +
      differenceText(bar, part.category),
    label: { show: hasRoom, formatter: percent(share, 0) },
  };
}

function breakdownPanel(bars, isShare) {
  const longest = Math.max(...bars.map((bar) => bar.cycles));
  return {
    rows: bars.length,
    summary: bars.map((bar) => `${barName(bar)}: ${percent(shareOf(bar, "tensor_busy"))} tensor busy`).join("; ") + ".",
    option: {
      grid: { left: 8, right: 24, top: 4, bottom: 4, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
      xAxis: axis({ type: "value", max: isShare ? 1 : undefined,
        axisLabel: { hideOverlap: true,
          formatter: (value) => (isShare ? percent(value, 0) : value ? `${number(value / 1e6, 1)} M` : "0") } }),
      yAxis: axis({ type: "category", inverse: true, data: bars.map(barName), axisTick: { show: false },
        axisLabel: { color: colour("text"), fontSize: 13 } }),
      series: categoriesOf(bars).map((part) => ({
        type: "bar", stack: "cycles", barWidth: 22, name: part.name, color: colour(part.css),
        itemStyle: { borderColor: colour("surface"), borderWidth: 1 },
        label: { color: inkOn(part), fontSize: 11 },
        data: bars.map((bar) => partItem(bar, part, isShare, longest)),
      })),
    },
  };
}

/// The first row of each problem, to choose a problem by: family after family, short to long.
function problemsOf(rows) {
  const firsts = distinct(rows.map((row) => row.problemText)).map((text) => rows.find((row) => row.problemText === text));
  const families = sortedFamilies(rows);
  const family = (row) => families.indexOf(row.family);
  return firsts.sort((a, b) => family(a) - family(b) || a.problem.seqlen_q - b.problem.seqlen_q);
}

/// The problem to show first: most rows, then head_dim 128, no mask, most tokens.
function favouriteProblem(rows) {
  const weight = (row) => [rows.filter((other) => other.problemText === row.problemText).length,
    row.problem.head_dim === 128 ? 1 : 0, row.problem.is_causal ? 0 : 1, row.problem.seqlen_q];
  return problemsOf(rows).reduce((best, row) => {
    const [a, b] = [weight(best), weight(row)];
    const at = a.findIndex((value, index) => value !== b[index]);
    return at >= 0 && b[at] > a[at] ? row : best;
  }).problemText;
}

function problemChoice(rows, chosen, changed) {
  return choice("Problem", problemsOf(rows).map((row) => [row.problemText, problemName(row)]), chosen, changed);
}

function showBreakdown() {
  const rows = page.rows.filter((row) => breakdownBars([row]).length);
  if (!rows.length) {
    removeSection("breakdown");
    return;
  }
  let chosen = favouriteProblem(rows);
  let isShare = false;
  const shown = () => breakdownBars(visibleRows().filter((row) => rows.includes(row) && row.problemText === chosen));
  const figure = addFigure("breakdown", {
    id: "parts", title: "Cycles of an SM by part",
    legend: () => categoriesOf(shown()).map((part) => legendKey(swatch(`var(--${part.css})`), part.name)),
    controls: [
      problemChoice(rows, chosen, (value) => { chosen = value; figure.update(); }),
      choice("Show", [["cycles", "cycles"], ["share", "share of the cycles"]], "cycles",
        (value) => { isShare = value === "share"; figure.update(); }),
    ],
    height: (panel) => 40 + 34 * panel.rows,
    panels: () => (shown().length ? [breakdownPanel(shown(), isShare)] : []),
    table: () => ({
      caption: `Cycles by part: ${chosen}`,
      columns: [
        { title: "Kernel", value: barName },
        { title: "Cycles", isNumber: true, value: (bar) => bar.cycles, text: (value) => number(value, 0) },
        ...categoriesOf(shown()).map((part) => ({ title: part.name, isNumber: true,
          value: (bar) => cyclesOf(bar, part.category),
          text: (value, bar) => (isNumber(value)
            ? `${number(value, 0)} (${percent(shareOf(bar, part.category))}` +
              `${differenceText(bar, part.category).replace("\n", ", ")})` : NOT_THERE) })),
      ],
      rows: shown(),
    }),
  });
}
