// Every row in one table that can be filtered and sorted.

/// Over the one kernel that all rows are compared with, else each over its own.
function speedColumn() {
  const baselines = distinct(page.rows.map((row) => row.speedup?.baseline).filter(Boolean));
  const isOne = baselines.length === 1;
  return { title: isOne ? `Speed over ${baselines[0]}` : "Speed", isNumber: true,
    value: (row) => row.speedup?.measured_time_ratio ?? row.speedup?.simulated_time_ratio,
    text: (value, row) => (isNumber(value) ? times(value) + (isOne ? "" : ` ${row.speedup.baseline}`) : NOT_THERE) };
}

const ROW_COLUMNS = [
  { title: "Kernel", value: (row) => row.label },
  { title: "Problem", value: (row) => row.problemText },
  { title: "Time µs", isNumber: true, value: (row) => row.measured?.time_us, text: (value) => number(value) },
  { title: "Quantizing µs", isNumber: true, value: (row) => row.measured?.quantization?.time_us,
    text: (value, row) => number(value) + (row.measured?.quantization?.is_included ? ", in the time" : "") },
  { title: "TFLOPS", isNumber: true, value: (row) => row.measured?.tflops, text: (value) => number(value) },
  { title: "% of peak", isNumber: true, value: (row) => ratioOf(row.measured?.tflops, row.measured?.peak_tflops),
    text: (value) => percent(value) },
  { title: "SM cycles", isNumber: true, value: (row) => row.measuredCycles, text: (value) => number(value, 0) },
  { title: "Tensor active", isNumber: true, value: (row) => row.measured?.counters?.values?.tensor_active_ratio,
    text: (value) => percent(value) },
  { title: "Simulated cycles", isNumber: true, value: (row) => row.simulated?.cycles, text: (value) => number(value, 0) },
  { title: "Model's error", isNumber: true, value: (row) => row.deviation, text: (value) => signedPercent(value) },
  { title: "Error to FP64", isNumber: true, value: (row) => row.measured?.verification?.relative_error,
    text: (value, row) => (row.measured?.verification?.passed === false ? "failed" : scientific(value)),
    isBad: (value, row) => row.measured?.verification?.passed === false },
];

const NOTE_COLUMN = { title: "Note", wraps: true,
  value: (row) => row.reason ?? row.measured?.verification?.failure ?? "" };

/// "fa3 causal" keeps the rows that have both words.
function matching(rows, columns, wanted) {
  const parts = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    const text = columns.map((column) => column.value(row) ?? "").join(" ").toLowerCase();
    return parts.every((part) => text.includes(part));
  });
}

function sorted(rows, column, direction) {
  if (!column) return rows;
  const known = rows.filter((row) => column.value(row) !== undefined);
  const order = (a, b) => (isNumber(a) ? a - b : String(a).localeCompare(String(b)));
  return [...known.sort((a, b) => direction * order(column.value(a), column.value(b))),
    ...rows.filter((row) => column.value(row) === undefined)];
}

function showRows() {
  const columns = [...ROW_COLUMNS, speedColumn(), NOTE_COLUMN].filter((column) =>
    page.rows.some((row) => column.value(row) !== undefined && column.value(row) !== ""));
  let [wanted, by, direction] = ["", undefined, 1];
  const box = scrolling("", "All rows", true);
  const count = element("span", { class: "muted", role: "status" });
  const sortBy = (column) => {
    direction = by === column ? -direction : column.isNumber ? -1 : 1;
    by = column;
    show();
    box.querySelector("th[aria-sort] button").focus();
  };
  const show = () => {
    const rows = sorted(matching(page.rows, columns, wanted), by, direction);
    const made = table({ caption: "Every kernel on every problem", columns, rows });
    made.querySelectorAll("thead th").forEach((head, index) => {
      if (columns[index] === by) head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
      head.replaceChildren(element("button", { type: "button", onclick: () => sortBy(columns[index]) },
        columns[index].title));
    });
    box.replaceChildren(made);
    count.textContent = rows.length === page.rows.length ? countText(rows.length, "row")
      : `${rows.length} of ${countText(page.rows.length, "row")}`;
  };
  const filter = element("input", { type: "search", placeholder: "fa3 causal d128",
    oninput: () => { wanted = filter.value; show(); } });
  section("rows").append(element("p", { class: "controls" }, element("label", { id: "filter" }, "Only rows with", filter), count), box);
  show();
}
