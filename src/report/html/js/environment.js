// Where the numbers come from: a box for each report, with its warnings.

/// [{text, of}]: a warning and the row that it speaks of, if any.
function allWarnings(report) {
  const ofRows = page.rows.filter((row) => row.report === report).flatMap((row) =>
    distinct([...row.measured?.warnings ?? [], ...row.simulated?.warnings ?? []]).map((text) =>
      ({ text, of: `${row.label}, ${row.problemText}` })));
  return [...report.warnings.map((text) => ({ text })), ...ofRows];
}

/// Warnings that differ in their numbers alone are one kind.
function warningKinds(warnings) {
  const kinds = new Map();
  for (const warning of warnings) {
    const key = warning.text.replace(/\d+(\.\d+)?/g, "#");
    kinds.set(key, [...kinds.get(key) ?? [], warning]);
  }
  return [...kinds.values()].sort((a, b) => b.length - a.length);
}

function warningItem(kind) {
  if (kind.length === 1) {
    return element("li", {}, kind[0].of ? `${kind[0].of}: ${kind[0].text}` : kind[0].text);
  }
  return element("li", {}, element("details", {},
    element("summary", {}, `${countText(kind.length, "row")}: ${distinct(kind.map((w) => w.text)).length === 1
      ? kind[0].text : `such as “${kind[0].text}”`}`),
    element("ul", {}, kind.map((warning) => element("li", {}, `${warning.of ?? ""}: ${warning.text}`)))));
}

function gpuFacts(gpu) {
  if (!gpu) return [];
  return [
    ["GPU", `${gpu.name}, ${gpu.sm_count} SMs, compute capability ${gpu.capability.major}.${gpu.capability.minor}`],
    ["Highest clocks", [gpu.max_sm_clock_mhz ? `SM ${number(gpu.max_sm_clock_mhz, 0)} MHz` : "",
      gpu.max_memory_clock_mhz ? `memory ${number(gpu.max_memory_clock_mhz, 0)} MHz` : ""].filter(Boolean).join(", ")],
    ["Power limit", gpu.power_limit_watts ? `${number(gpu.power_limit_watts, 0)} W` : ""],
    ["Memory", `${number(gpu.memory_bytes / 1e9, 1)} GB, L2 ${number(gpu.l2_bytes / 2 ** 20, 0)} MiB`],
    ["GPU's UUID", gpu.uuid],
  ];
}

function counterText(report) {
  const counters = report.results.map((result) => result.counters).filter(Boolean);
  const missing = distinct(counters.filter((c) => c.status === "unavailable").map((c) => `${c.reason}; ${c.cure}`));
  if (missing.length) return `not available: ${missing.join(" / ")}`;
  return counters.some((c) => c.status === "collected") ? "CUPTI, in a replay of their own" : "";
}

function environmentPanel(report) {
  const environment = report.environment;
  const kinds = warningKinds(allWarnings(report));
  return element("div", { class: "panel" },
    element("h3", {}, report.name),
    facts([
      ["Command", report.command.join(" ")],
      ["Written", dateText(report.created_at)],
      ...gpuFacts(environment.gpu),
      ["Driver", environment.driver],
      ["CUDA toolkit", report.tool.cuda_toolkit],
      ["Host", `${environment.host}, ${environment.os}`],
      ["fa3prof", `${report.tool.version} (${report.tool.commit}), ${report.tool.compiler}`],
      ["Seed", report.seed ? String(report.seed) : ""],
      ["Counters", counterText(report)],
      ["Machine of the roofs", report.machine],
    ]),
    element("h3", {}, kinds.length ? "Warnings" : "No warnings"),
    kinds.length ? element("ul", { class: "warnings" }, kinds.map(warningItem)) : "");
}

function showEnvironment() {
  section("environment").append(...page.reports.map(environmentPanel));
}
