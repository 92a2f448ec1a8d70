// The first screen: what was measured on what, and the numbers that matter most.

function timedRows(rows = page.rows) {
  return rows.filter((row) => isNumber(row.measured?.tflops));
}

/// TFLOPS of a row: measured, else simulated.
function tflopsOf(row) {
  return row.measured?.tflops ?? row.simulated?.tflops;
}

function countText(count, noun) {
  return `${number(count, 0)} ${noun}${count === 1 ? "" : "s"}`;
}

function titleText() {
  const gpus = distinct(page.reports.map((report) => report.environment.gpu?.name).filter(Boolean));
  if (gpus.length) return `Attention on ${gpus.join(" and ")}`;
  const machines = distinct(page.rows.map((row) => row.simulated?.machine).filter(Boolean));
  return machines.length ? `Attention simulated on ${machines.join(" and ")}` : "Attention simulated";
}

function subtitleText() {
  const all = (read) => distinct(page.reports.map(read).filter(Boolean));
  const drivers = all((report) => report.environment.driver);
  const toolkits = all((report) => report.tool.cuda_toolkit);
  const dates = all((report) => report.created_at).sort();
  return [
    dates.length > 1 ? `${dateText(dates[0])} to ${dateText(dates.at(-1))}` : dateText(dates[0]),
    drivers.length ? `driver ${drivers.join(", ")}` : "",
    toolkits.length ? `CUDA ${toolkits.join(", ")}` : "",
    page.reports.length > 1 ? countText(page.reports.length, "report") : `report ${page.reports[0].name}`,
  ].filter(Boolean).join(" · ");
}

function card(title, figure, unit, ...lines) {
  return element("div", { class: "card" }, element("dt", {}, title),
    element("dd", {}, element("div", { class: "figure" }, figure, unit ? element("small", {}, ` ${unit}`) : ""),
      lines.filter(Boolean).map((line) => element("div", { class: "muted" }, line))));
}

/// In one row, or six in two.
function cardList(cards) {
  return element("dl", { class: "cards", style: `--columns: ${cards.length > 5 ? 3 : cards.length}` }, cards);
}

function fastestCard() {
  const timed = timedRows();
  const rows = timed.length ? timed : page.rows.filter((row) => isNumber(row.simulated?.tflops));
  if (!rows.length) return undefined;
  const best = rows.reduce((a, b) => (tflopsOf(b) > tflopsOf(a) ? b : a));
  const result = timed.length ? best.measured : best.simulated;
  return card(timed.length ? "Fastest" : "Fastest, simulated", number(result.tflops), "TFLOPS",
    `${best.label}, ${tokens(best.problem.seqlen_q)} tokens, ${page.families.get(best.family)}`,
    isNumber(result.peak_tflops) ? `${percent(result.tflops / result.peak_tflops)} of the tensor peak` : "");
}

/// A card for the two pairs of kernels that are compared on most problems, of equals the faster.
function speedupCards() {
  const pairs = new Map();
  for (const row of page.rows) {
    const ratio = row.speedup?.measured_time_ratio ?? row.speedup?.simulated_time_ratio;
    if (!isNumber(ratio)) continue;
    const key = `${row.label} over ${row.speedup.baseline}`;
    pairs.set(key, [...pairs.get(key) ?? [], { row, ratio }]);
  }
  const ratiosOf = (found) => found.map(({ ratio }) => ratio);
  const byWeight = ([, a], [, b]) => b.length - a.length || median(ratiosOf(b)) - median(ratiosOf(a));
  return [...pairs].sort(byWeight).slice(0, 2).map(([pair, found]) => {
    const ratios = ratiosOf(found);
    const isMeasured = found.every(({ row }) => isNumber(row.speedup.measured_time_ratio));
    const detail = found.length > 1
      ? `median of ${found.length} problems: ${times(Math.min(...ratios))} to ${times(Math.max(...ratios))}`
      : [halfWidth(found[0].row.speedup.measured_time_ratio_ci95), `${tokens(found[0].row.problem.seqlen_q)} tokens, ` +
        page.families.get(found[0].row.family)].filter(Boolean).join(", ");
    return card(isMeasured ? pair : `${pair}, simulated`, times(median(ratios)), "", detail);
  });
}

function errorCard() {
  const errors = rowsWithError().map((row) => row.deviation);
  if (!errors.length) return undefined;
  const { meanAbsolute, mean, largest } = errorSums(errors);
  return card("Model's mean error", percent(meanAbsolute), "",
    `signed ${signedPercent(mean)}, largest ${percent(largest)}`, `cycles of ${countText(errors.length, "row")}`);
}

function verifiedCard() {
  const checked = page.rows.filter((row) => row.measured?.verification);
  if (!checked.length) return undefined;
  const error = (row) => row.measured.verification.relative_error ?? 0;
  const worst = checked.reduce((a, b) => (error(b) > error(a) ? b : a));
  return card("Verified against FP64", `${checked.filter((row) => row.measured.verification.passed).length} of ` +
    checked.length, "", `largest relative error ${scientific(error(worst))} (${worst.label}, limit ` +
    `${scientific(worst.measured.verification.tolerance)})`);
}

function clockCard() {
  const clocks = distinct(page.rows.map((row) => row.measured?.clocks).filter(Boolean));
  if (!clocks.length) return undefined;
  const mhz = clocks.map((clock) => clock.sm_clock_mhz);
  const held = clocks.filter((clock) => clock.throttle_reasons.length);
  const reasons = distinct(held.flatMap((clock) => clock.throttle_reasons)).join(", ");
  const [low, high] = [Math.min(...mhz), Math.max(...mhz)].map((value) => number(value, 0));
  const watts = Math.max(...clocks.map((clock) => clock.power_watts));
  return card("SM clock in MHz", low === high ? low : `${low}–${high}`, "",
    held.length ? `held back in ${held.length} of ${clocks.length}: ${reasons}` : "never held back",
    watts > 0 ? `up to ${number(watts, 0)} W` : "");
}

function showSummary() {
  section("title").textContent = titleText();
  section("subtitle").textContent = subtitleText();
  document.title = `${titleText()} – fa3prof report`;
  const problems = distinct(page.rows.map((row) => row.problemText)).length;
  const warnings = page.reports.reduce((sum, report) => sum + allWarnings(report).length, 0);
  section("summary").append(
    element("p", { class: "headline" }, `${countText(page.labels.length, "kernel")} on ${countText(problems, "problem")}, ` +
      `${countText(timedRows().length, "row")} measured, ` +
      `${countText(page.rows.filter((row) => isNumber(row.simulated?.cycles)).length, "row")} simulated` +
      (warnings ? ", " : "."),
    warnings ? element("a", { href: "#environment" }, countText(warnings, "warning")) : "", warnings ? "." : ""),
    cardList([fastestCard(), ...speedupCards(), errorCard(), verifiedCard(), clockCard()].filter(Boolean)));
}
