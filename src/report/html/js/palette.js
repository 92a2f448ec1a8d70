// Which colour and symbol stands for what. The colours themselves are in page.css, for light and dark.

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/// Kernels that many reports have keep their looks from page to page.
const KNOWN_KERNELS = { fa3: 1, fa2: 2, fa3_fp8: 3, official_fa3: 4, cudnn: 6 };
const SYMBOLS = ["circle", "rect", "triangle", "diamond", "roundRect", "pin", "arrow", "circle"];
const SYMBOL_PATHS = {
  circle: "M7 2a5 5 0 1 0 .01 0z", rect: "M2.5 2.5h9v9h-9z", triangle: "M7 2l5.5 10h-11z", diamond: "M7 1l5 6-5 6-5-6z",
  roundRect: "M4 2.5h6l1.5 1.5v6l-1.5 1.5h-6l-1.5-1.5v-6z", pin: "M7 13l-4-7a4 4 0 1 1 8 0z", arrow: "M7 2l4.5 10-4.5-3-4.5 3z",
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
