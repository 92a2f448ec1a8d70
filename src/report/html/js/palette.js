// Which colour and symbol stands for what. The colours themselves are in page.css, for light and dark.

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/// Kernels that many reports have keep their looks from page to page.
const KNOWN_KERNELS = { fa3: 1, fa2: 2, fa3_fp8: 3, official_fa3: 4, cudnn: 6 };
const SYMBOLS = ["circle", "rect", "triangle", "diamond", "octagon", "plus", "wedge", "cross"];
/// In a box of 14 by 14.
const SYMBOL_PATHS = {
  circle: "M7 2a5 5 0 1 0 .01 0z", rect: "M2.5 2.5h9v9h-9z", triangle: "M7 2l5.5 10h-11z", diamond: "M7 1l5 6-5 6-5-6z",
  octagon: "M4.5 2h5l2.5 2.5v5l-2.5 2.5h-5l-2.5-2.5v-5z", plus: "M5.3 1.5h3.4v3.8h3.8v3.4h-3.8v3.8h-3.4v-3.8h-3.8v-3.4h3.8z",
  wedge: "M1.5 2h11l-5.5 10z", cross: "M4 1.6l3 3 3-3 2.4 2.4-3 3 3 3-2.4 2.4-3-3-3 3-2.4-2.4 3-3-3-3z",
};

/// label -> number of its colour, 1 to 8
function assignLooks(labels) {
  const looks = new Map();
  for (const label of labels) if (KNOWN_KERNELS[label]) looks.set(label, KNOWN_KERNELS[label]);
  const taken = new Set(looks.values());
  const free = [1, 2, 3, 4, 5, 6, 7, 8].filter((n) => !taken.has(n));
  let next = 0;
  for (const label of labels) {
    if (!looks.has(label)) looks.set(label, free.length ? free[next++ % free.length] : (next++ % 8) + 1);
  }
  return looks;
}

function kernelColour(label) {
  return colour(`series-${page.looks.get(label)}`);
}

function kernelSymbol(label) {
  return SYMBOLS[page.looks.get(label) - 1];
}

/// The same for a chart.
function chartSymbol(label) {
  return `path://${SYMBOL_PATHS[kernelSymbol(label)]}`;
}

/// A small drawing for legends.
function drawing(path, style) {
  const of = (tag, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  };
  const svg = of("svg", { viewBox: "0 0 14 14", class: "swatch", "aria-hidden": "true" });
  svg.append(of("path", { d: path, style }));
  return svg;
}

/// A kernel's symbol, or another area, in its colour.
function swatch(fill, symbol = "rect") {
  return drawing(SYMBOL_PATHS[symbol], `fill: ${fill}`);
}

/// Lines alone.
function outline(path) {
  return drawing(path, "fill: none; stroke: currentColor; stroke-width: 2");
}

/// Parts of a breakdown in the order in which they are stacked; others follow.
const PARTS = [
  { category: "tensor_busy", css: "tensor", name: "tensor busy", isDeep: true },
  { category: "softmax_exposed", css: "softmax", name: "softmax exposed" },
  { category: "load_exposed", css: "load", name: "load exposed", isDeep: true },
  { category: "barrier", css: "barrier", name: "barriers and turns", isDeep: true },
  { category: "ramp", css: "ramp", name: "ramp" },
  { category: "tail", css: "tail", name: "tail" },
];
const REST = { category: "rest", css: "rest", name: "not split by this run" };

/// Text on a part's colour; a deep one is dark in the light theme.
function inkOn(part) {
  if (document.documentElement.dataset.theme === "dark") return part === REST ? "#e7ebf1" : "#10151c";
  return part.isDeep ? "#fff" : "#1b2230";
}
