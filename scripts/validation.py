#!/usr/bin/env python3
"""Writes docs/validation.md and its plot: how far the model is off from recorded runs and from published tables.

Usage: validation.py [--fa3prof FILE] [--development FILE --validation FILE | --published-only] [--output FOLDER]

The recordings are the two halves that split_recording.py wrote; the published tables are those of configs/published. Every
number on the page comes out of `fa3prof simulate --json`. The same input gives the same bytes.
"""

import argparse
import pathlib

from validation_page import plot
from validation_page.model import ROOT, Model
from validation_page.published import official_section, published_text
from validation_page.recorded import Half, recorded_section


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    recordings = ROOT / "configs/recordings"
    parser.add_argument("--fa3prof", default=ROOT / "build/release/src/fa3prof", metavar="FILE")
    parser.add_argument("--development", default=recordings / "h200_sxm_grid_development.json", metavar="FILE")
    parser.add_argument("--validation", default=recordings / "h200_sxm_grid_validation.json", metavar="FILE")
    parser.add_argument("--peers", default=recordings / "h200_sxm_peers.json", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--published", default=ROOT / "configs/published", metavar="FOLDER")
    parser.add_argument("--published-only", action="store_true", help="leave the recorded runs out")
    parser.add_argument("--output", default=ROOT / "docs", type=pathlib.Path, metavar="FOLDER")
    arguments = parser.parse_args()
    model = Model(arguments.fa3prof)
    text = "# How well the model predicts\n\nWritten by `scripts/validation.py`; docs/model.md says how the model works.\n\n"
    if not arguments.published_only:
        halves = [Half(name, getattr(arguments, name), model) for name in ("development", "validation")]
        text += recorded_section(halves)
        drawing = plot.svg([(half.name, half.rows) for half in halves])
        (arguments.output / "validation.svg").write_text(drawing, encoding="utf-8")
    text += published_text(arguments.published, model)
    text += "\n" + official_section(arguments.peers, model)
    (arguments.output / "validation.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
