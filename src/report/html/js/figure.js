// A figure: a title, a legend, one chart or several beside each other, and the table of what they show.
// Charts are drawn when they come near the screen, and anew when the theme or the choice of kernels changes.

/// spec: {id, title, note, legend(), controls: [elements], columns, height(panel), panels() -> [{title, summary,
/// option}], below() -> elements, table() -> as table(), hasRawTable: too long for paper, drawn(chart): when it is
/// made, reached(stop, chart): before a key shows a value}. In an option every data item may have `text`: its first line names it, and
/// tooltip and keyboard show it.
class Figure {
  constructor(spec) {
    this.spec = spec;
    this.charts = [];
    this.isNear = false;
    this.legend = element("ul", { class: "legend", "aria-label": "Legend" });
    this.panels = element("div", { class: "panels" });
    this.below = element("div", {});
    this.data = element("details", { class: spec.hasRawTable ? "data raw" : "data" });
    this.root = element("figure", { class: "chart", id: spec.id },
      element("div", { class: "picture" },
        element("figcaption", {}, element("h3", {}, spec.title),
          spec.controls ? element("div", { class: "controls" }, spec.controls) : "",
          spec.note ? element("p", { class: "note" }, spec.note) : "", this.legend),
        this.panels, this.below),
      this.data);
    this.data.append(element("summary", {}, `Table: ${spec.title}`));
    this.data.addEventListener("toggle", () => this.updateTable());
    page.figures.push(this);
  }

  /// After the root is in the page.
  start() {
    this.updateText();
    new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting) || this.isNear) return;
      this.isNear = true;
      this.draw();
    }, { rootMargin: "600px" }).observe(this.root);
    new ResizeObserver(() => this.fit()).observe(this.panels);
  }

  update() {
    this.updateText();
    if (this.isNear) this.draw();
  }

  updateText() {
    const focused = [...this.legend.querySelectorAll("button")].indexOf(document.activeElement);
    this.legend.replaceChildren(...this.spec.legend?.() ?? []);
    this.legend.querySelectorAll("button")[focused]?.focus();
    this.below.replaceChildren(...this.spec.below?.() ?? []);
    this.updateTable();
  }

  /// A table is made when it is opened: many rows cost time.
  updateTable() {
    this.data.querySelector(".scroll")?.remove();
    if (!this.data.open) return;
    const content = table(this.spec.table());
    this.data.append(scrolling(content, content.caption.textContent));
  }

  draw() {
    const panels = this.spec.panels();
    if (panels.length !== this.charts.length) this.makePlots(panels);
    panels.forEach((panel, index) => {
      const { chart, plot, title } = this.charts[index];
      title.textContent = panel.title ?? "";
      title.hidden = !panel.title;
      plot.style.height = `${this.spec.height(panel)}px`;
      plot.setAttribute("aria-label", `Chart: ${this.spec.title}. ${panel.title ?? ""} ${panel.summary ?? ""} ` +
        "Arrow keys go from value to value. The table below holds the same values.");
      chart.resize();
      chart.setOption({ ...baseOption(), ...panel.option }, { notMerge: true });
      this.charts[index].stops = stopsOf(panel.option);
      this.charts[index].at = -1;
    });
  }

  makePlots(panels) {
    for (const { chart } of this.charts) chart.dispose();
    this.panels.style.setProperty("--columns", Math.min(this.spec.columns ?? 1, panels.length));
    const plots = panels.map(() => ({
      title: element("p", { class: "plot-title", "aria-hidden": true }),
      plot: element("div", { class: "plot", tabindex: 0, role: "img" }),
    }));
    this.panels.replaceChildren(...plots.map(({ title, plot }) => element("div", {}, title, plot)));
    this.charts = plots.map(({ title, plot }, index) => {
      plot.style.height = `${this.spec.height(panels[index])}px`;
      plot.addEventListener("keydown", (event) => this.walk(index, event));
      const chart = echarts.init(plot, null, { renderer: "svg" });
      this.spec.drawn?.(chart);
      return { title, plot, chart, stops: [], at: -1 };
    });
  }

  fit() {
    for (const { chart } of this.charts) chart.resize();
  }

  /// Arrow keys go from value to value and read each.
  walk(index, event) {
    const view = this.charts[index];
    const last = view.stops.length - 1;
    const next = { ArrowRight: view.at + 1, ArrowDown: view.at + 1, ArrowLeft: view.at - 1, ArrowUp: view.at - 1,
      Home: 0, End: last }[event.key];
    if (event.key === "Escape") view.chart.dispatchAction({ type: "hideTip" });
    if (next === undefined || last < 0) return;
    event.preventDefault();
    view.at = Math.max(0, Math.min(last, next));
    const { seriesIndex, dataIndex, text } = view.stops[view.at];
    this.spec.reached?.(view.stops[view.at], view.chart);
    view.chart.dispatchAction({ type: "showTip", seriesIndex, dataIndex });
    section("announcement").textContent = text.replaceAll("\n", ", ");
  }
}

function stopsOf(option) {
  return (option.series ?? []).flatMap((series, seriesIndex) => (series.data ?? []).flatMap((item, dataIndex) =>
    item?.text && !series.silent ? [{ seriesIndex, dataIndex, text: item.text }] : []));
}

function tooltipText(parameters) {
  const text = parameters.data?.text;
  if (!text) return "";
  const [first, ...others] = text.split("\n").map(escaped);
  return `<strong>${first}</strong>${others.map((line) => `<br>${line}`).join("")}`;
}

function baseOption() {
  return {
    animation: false,
    textStyle: { fontFamily: getComputedStyle(document.body).fontFamily, fontSize: 12, color: colour("text") },
    tooltip: { trigger: "item", confine: true, formatter: tooltipText, backgroundColor: colour("surface"),
      borderColor: colour("line"), textStyle: { color: colour("text"), fontSize: 13 },
      extraCssText: "max-width: 340px; white-space: normal" },
  };
}

function axis(given) {
  return {
    nameTextStyle: { color: colour("muted") },
    axisLine: { lineStyle: { color: colour("line") } },
    axisTick: { lineStyle: { color: colour("line") } },
    axisLabel: { color: colour("muted"), ...given.axisLabel },
    splitLine: { lineStyle: { color: colour("grid") }, ...given.splitLine },
    minorTick: { show: false },
    ...Object.fromEntries(Object.entries(given).filter(([key]) => key !== "axisLabel" && key !== "splitLine")),
  };
}

function addFigure(sectionId, spec) {
  const figure = new Figure(spec);
  section(sectionId).append(figure.root);
  figure.start();
  return figure;
}

function updateFigures() {
  for (const figure of page.figures) figure.update();
}

/// On paper: light, as wide as a sheet, every chart drawn and every table open but those of raw data.
function printWhole() {
  const root = document.documentElement;
  let before;
  window.addEventListener("beforeprint", () => {
    if (before) return;
    const closed = [...document.querySelectorAll("main details:not([open], .raw)")];
    before = { theme: root.dataset.theme, closed };
    root.dataset.theme = "light";
    root.classList.add("printing");
    for (const details of closed) details.open = true;
    for (const figure of page.figures) figure.isNear = true;
    updateFigures();
  });
  window.addEventListener("afterprint", () => {
    if (!before) return;
    root.dataset.theme = before.theme;
    root.classList.remove("printing");
    for (const details of before.closed) details.open = false;
    before = undefined;
    updateFigures();
  });
}
