"""Draws simulated over counted cycles against the query length, as SVG: a panel for each half of a recording, a colour for each
kernel, causal rows as rings. Grey text and mid-tone colours on no background read on light and dark pages alike.
"""

import math
from xml.sax.saxutils import escape

COLOURS = ["#3b82d0", "#d97706", "#2e9e5b", "#dc4c4c", "#9b6dd6", "#1a9ba8", "#b0803a", "#c2569a"]
GREY = "#7d838c"
BAND = 0.03  # of the y axis about 1

PANEL_WIDTH, PANEL_HEIGHT = 380, 300
LEFT, TOP, BETWEEN, BOTTOM = 56, 34, 30, 74


class Scale:
    """From data to the coordinates of a panel whose upper left corner is at `x`, TOP."""

    def __init__(self, rows):
        lengths = [row["problem"]["seqlen_q"] for row in rows]
        ratios = [1 + row["cycles_deviation_ratio"] for row in rows]
        self.first = math.floor(math.log2(min(lengths)))
        self.last = max(math.ceil(math.log2(max(lengths))), self.first + 1)
        # Whole steps, of which one is at 1, and room for the band.
        low, high = min(*ratios, 1 - BAND), max(*ratios, 1 + BAND)
        self.step = 0.05 if high - low <= 0.4 else 0.1
        self.low = self.step * math.floor(low / self.step)
        self.high = self.step * math.ceil(high / self.step)

    def x(self, seqlen):
        place = (math.log2(seqlen) - self.first + 0.5) / (self.last - self.first + 1)
        return PANEL_WIDTH * place

    def y(self, ratio):
        return PANEL_HEIGHT * (self.high - ratio) / (self.high - self.low)

    def ratio_ticks(self):
        count = round((self.high - self.low) / self.step)
        return [self.low + i * self.step for i in range(count + 1)]


def text(x, y, content, anchor="middle", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{GREY}"{extra}>{escape(content)}</text>'


def line(x1, y1, x2, y2, width):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{GREY}" stroke-width="{width}"/>'


def mark(x, y, colour, is_ring, title=""):
    fill = "none" if is_ring else colour
    inside = f"<title>{escape(title)}</title>" if title else ""
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.6" fill="{fill}" fill-opacity="0.85" stroke="{colour}" '
        f'stroke-width="1.4">{inside}</circle>'
    )


def axes(scale, name, has_labels):
    parts = [text(PANEL_WIDTH / 2, -12, name, extra=' font-weight="bold"')]
    top, bottom = scale.y(1 + BAND), scale.y(1 - BAND)
    parts.append(
        f'<rect x="0" y="{top:.1f}" width="{PANEL_WIDTH}" height="{bottom - top:.1f}" fill="{GREY}" fill-opacity="0.18"/>'
    )
    for tick in scale.ratio_ticks():
        parts.append(line(0, scale.y(tick), PANEL_WIDTH, scale.y(tick), 1.2 if abs(tick - 1) < 1e-9 else 0.3))
        if has_labels:
            parts.append(text(-8, scale.y(tick) + 4, f"{tick:.2f}", "end"))
    for power in range(scale.first, scale.last + 1):
        seqlen = 2**power
        label = f"{seqlen // 1024}k" if seqlen >= 1024 else str(seqlen)
        parts.append(text(scale.x(seqlen), PANEL_HEIGHT + 18, label))
    parts.append(f'<rect width="{PANEL_WIDTH}" height="{PANEL_HEIGHT}" fill="none" stroke="{GREY}" stroke-width="0.8"/>')
    return parts


def marks(scale, rows, kernels):
    """Kernels stand beside each other, within 0.7 of the distance between two powers of two."""
    parts = []
    width = 0.7 * PANEL_WIDTH / (scale.last - scale.first + 1)
    for row in rows:
        index = kernels.index(row["kernel"])
        aside = width * ((index + 0.5) / len(kernels) - 0.5)
        problem = row["problem"]
        ratio = 1 + row["cycles_deviation_ratio"]
        title = f"{row['kernel']} d{problem['head_dim']} seq {problem['seqlen_q']}: {ratio:.3f}"
        colour = COLOURS[index % len(COLOURS)]
        parts.append(mark(scale.x(problem["seqlen_q"]) + aside, scale.y(ratio), colour, problem["is_causal"], title))
    return parts


def legend(kernels):
    parts = []
    x = 0.0
    for index, kernel in enumerate(kernels):
        parts += [mark(x + 4, -4, COLOURS[index % len(COLOURS)], False), text(x + 13, 0, kernel, "start")]
        x += 26 + 7.0 * len(kernel)
    for is_ring, label in ((False, "not causal"), (True, "causal")):
        parts += [mark(x + 4, -4, GREY, is_ring), text(x + 13, 0, label, "start")]
        x += 26 + 7.0 * len(label)
    return parts


def svg(panels):
    """`panels`: (name, rows) pairs; a row is an entry of a report's "deviations"."""
    rows = [row for _, panel_rows in panels for row in panel_rows]
    scale = Scale(rows)
    kernels = sorted({row["kernel"] for row in rows})
    width = LEFT + len(panels) * (PANEL_WIDTH + BETWEEN)
    height = TOP + PANEL_HEIGHT + BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="system-ui, sans-serif" font-size="12">',
        "<title>Simulated over counted cycles by query length; the band is 3 %</title>",
    ]
    for index, (name, panel_rows) in enumerate(panels):
        x = LEFT + index * (PANEL_WIDTH + BETWEEN)
        parts.append(f'<g transform="translate({x} {TOP})">')
        parts += axes(scale, f"{name}, {len(panel_rows)} rows", index == 0) + marks(scale, panel_rows, kernels)
        parts.append("</g>")
    middle = TOP + PANEL_HEIGHT / 2
    parts.append(text(14, middle, "simulated / counted cycles", extra=f' transform="rotate(-90 14 {middle:.0f})"'))
    parts.append(text(LEFT + (width - LEFT - BETWEEN) / 2, TOP + PANEL_HEIGHT + 38, "query length"))
    parts.append(f'<g transform="translate({LEFT} {height - 10})">')
    parts += legend(kernels) + ["</g>", "</svg>"]
    return "\n".join(parts) + "\n"
