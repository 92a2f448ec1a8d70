// Elements and tables. All text goes in as text, never as markup: names come from files.

/// element("p", {class: "note"}, "text", child, ...); attributes that are undefined or false are left out, a
/// function is a listener: {onclick: f}.
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== ""));
  return made;
}

/// For markup that a library wants as a string.
function escaped(text) {
  return String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

/// A cell's text and what it is sorted by and compared with: a number stays one in data-value.
function cellOf(column, row) {
  const value = column.value(row);
  const text = column.text ? column.text(value, row) : value ?? NOT_THERE;
  return { value, text: String(text) };
}

function bodyRow(columns, row) {
  return element("tr", {}, columns.map((column, index) => {
    const { value, text } = cellOf(column, row);
    return element(index === 0 ? "th" : "td", {
      scope: index === 0 ? "row" : undefined,
      class: [isNumber(value) || column.isNumber ? "number" : "", column.wraps ? "wrap" : "",
        column.isBad?.(value, row) ? "bad" : ""].join(" ").trim() || undefined,
      "data-value": isNumber(value) ? value : undefined,
    }, text);
  }));
}

/// A table with a caption. columns: [{title, value(row), text(value, row), isNumber, wraps, isBad}], the first
/// names the row.
function table({ caption, columns, rows }) {
  return element("table", {},
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, columns.map((column) =>
      element("th", { scope: "col", class: column.isNumber ? "number" : undefined }, column.title)))),
    element("tbody", {}, rows.map((row) => bodyRow(columns, row))));
}

/// A scrolling box can be reached and scrolled by keyboard.
function scrolling(content, label, isTall = false) {
  return element("div", { class: isTall ? "scroll tall" : "scroll", tabindex: 0, role: "region", "aria-label": label },
    content);
}

/// [["Driver", "580"], ...] without the pairs that have no text.
function facts(pairs) {
  return element("dl", { class: "facts" }, pairs.filter(([, text]) => text).map(([name, text]) =>
    [element("dt", {}, name), element("dd", {}, text)]));
}

function section(id) {
  return document.getElementById(id);
}

/// Takes out a section that has nothing to show; its link is then not made.
function removeSection(id) {
  section(id).remove();
}
