// What the reader chooses: kernels, one for all charts; theme; lists.

function visibleRows() {
  return page.rows.filter((row) => !page.hidden.has(row.label));
}

/// One button a kernel, which hides or shows it in every chart.
function kernelLegend(labels = page.labels) {
  return labels.map((label) => element("li", {}, element("button", {
    type: "button",
    "aria-pressed": String(!page.hidden.has(label)),
    title: "Show or hide in all charts",
    onclick: () => {
      if (!page.hidden.delete(label)) page.hidden.add(label);
      updateFigures();
    },
  }, swatch(`var(--series-${page.looks.get(label)})`, kernelSymbol(label)), label)));
}

/// A legend entry that is no button.
function legendKey(drawing, text) {
  return element("li", {}, element("span", { class: "key" }, drawing, text));
}

/// options: [[value, text]]; calls `changed` with the chosen value.
function choice(label, options, chosen, changed) {
  const select = element("select", { onchange: () => changed(select.value) }, options.map(([value, text]) =>
    element("option", { value, selected: value === chosen }, text)));
  return element("label", {}, label, select);
}

function applyTheme(theme) {
  document.documentElement.dataset.theme = theme;
  const other = theme === "dark" ? "light" : "dark";
  section("theme").textContent = other === "dark" ? "Dark" : "Light";
  section("theme").setAttribute("aria-label", `Switch to ${other} colours`);
}

/// The system's preference until the reader chooses.
function followTheme() {
  const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
  let isChosen = false;
  const show = (theme) => {
    applyTheme(theme);
    updateFigures();
  };
  applyTheme(prefersDark.matches ? "dark" : "light");
  prefersDark.addEventListener("change", () => {
    if (!isChosen) show(prefersDark.matches ? "dark" : "light");
  });
  section("theme").addEventListener("click", () => {
    isChosen = true;
    show(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  });
}
