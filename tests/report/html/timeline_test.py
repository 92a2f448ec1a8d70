#!/usr/bin/env python3
"""The timeline of the report page in a real browser. Prints "SKIPPED: ..." where none is installed."""

import json
import os
import subprocess

from page_case import MOST_BYTES, OPEN_ALL, SMALL, PageCase, load, main

MADE = {"name": "fa3 measured: CTA 0", "clock_mhz": 1500.0, "is_whole": True,
        "tracks": [{"name": "consumer 1", "overlaps": False, "names": ["wait K", "softmax"], "kinds": [0, 1, 0],
                    "begins": [0, 700, 1400], "lengths": [700, 700, 20000]},
                   {"name": "consumer 1 WGMMA", "overlaps": True, "names": ["scores"], "kinds": [0, 0],
                    "begins": [600, 650], "lengths": [500, 500]}]}
MADE_SPANS = 5
SPANS = "#spans .data"
ANNOUNCED = "document.getElementById('announcement').textContent"


class Timeline(PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        path = cls.folder / "simulated.json"
        subprocess.run([os.environ["FA3PROF_BINARY"], "simulate", "--kernel", "fa3", "--seq", "2k", "--quiet",
                        "--trace", str(cls.folder / "trace.json"), "--json", str(path)], check=True)
        report = load(path)
        simulated = report["results"][0]
        cls.simulated_spans = sum(len(track["begins"]) for track in simulated["timeline"]["tracks"])
        # As a run leaves it that has traced the kernel.
        measured = {key: simulated[key] for key in ("kernel", "problem", "time_us", "cycles", "warnings")}
        report["results"].insert(0, {**measured, "source": "measured", "timeline": MADE})
        cls.page = cls.make_from(report, "traced")

    def setUp(self):
        self.browser.open(self.page)
        self.evaluate(OPEN_ALL)

    def press(self, name):
        self.evaluate("[...document.querySelectorAll('#spans button')]"
                      f".find((button) => button.textContent === {json.dumps(name)}).click()")

    def test_the_table_holds_the_spans_of_the_window(self):
        rows = self.cells(SPANS)
        self.assertEqual([[value if value is not None else text for text, value in row] for row in rows[:3]],
                         [["measured: consumer 1", "wait K", 0, 700, 0],
                          ["measured: consumer 1", "softmax", 700, 700, 700 / 1500],
                          ["measured: consumer 1", "wait K", 1400, 20000, 1400 / 1500]])
        self.assertTrue(MADE_SPANS < len(rows) < self.simulated_spans + MADE_SPANS)
        self.assertIn("from cycle 0 to", self.evaluate(f"document.querySelector('{SPANS} caption').textContent"))

    def test_buttons_move_the_window(self):
        self.press("All")
        self.assertEqual(len(self.cells(SPANS)), self.simulated_spans + MADE_SPANS)
        self.press("Zoom in")
        some = len(self.cells(SPANS))
        self.assertLess(some, self.simulated_spans + MADE_SPANS)
        self.press("Zoom in")
        self.assertLess(len(self.cells(SPANS)), some)
        before = self.cells(SPANS)
        self.press("Later")
        self.assertNotEqual(self.cells(SPANS), before)

    def test_spans_are_boxes_in_the_colours_of_the_theme(self):
        drawn = "document.querySelector('#spans .plot').innerHTML"
        self.assertGreater(self.evaluate("document.querySelectorAll('#spans .plot svg path').length"),
                           len(self.cells(SPANS)) / 2)
        ink = self.evaluate("colour('softmax')")
        self.assertIn(ink, self.evaluate(drawn))
        self.evaluate("document.getElementById('theme').click()")
        self.assertNotIn(ink, self.evaluate(drawn))
        self.assertIn(self.evaluate("colour('softmax')"), self.evaluate(drawn))

    def test_keys_walk_through_the_spans_and_the_window_follows(self):
        self.evaluate("document.querySelector('#spans .plot').focus()")
        self.browser.press("ArrowRight")
        self.assertIn("wait K, 700 cycles, measured: consumer 1", self.evaluate(ANNOUNCED))
        self.browser.press("End")
        self.assertIn("simulated: TMA", self.evaluate(ANNOUNCED))
        self.assertNotIn("from cycle 0 to", self.evaluate(f"document.querySelector('{SPANS} caption').textContent"))

    def test_means_stand_side_by_side(self):
        means = {row[0][0]: [value for _, value in row[1:]] for row in self.cells("#spans .picture")}
        self.assertEqual(means["consumer 1, softmax"], [1, 700, None, None])
        self.assertGreater(means["tensor core, consumer 1 scores"][3], 0)

    def test_a_page_has_room_for_some_timelines_and_says_so(self):
        report = load(SMALL)
        track = {"name": "consumer 1", "overlaps": False, "names": ["softmax"], "kinds": [0] * 10_000,
                 "begins": list(range(0, 100_000, 10)), "lengths": [9] * 10_000}
        for result in report["results"]:
            result["timeline"] = {"name": "CTA 0", "clock_mhz": 1500.0, "is_whole": False, "tracks": [track]}
        path = self.make_from(report, "crowded")
        self.assertLess(path.stat().st_size, MOST_BYTES)
        self.browser.open(path)
        left_out = len(report["results"]) - 2
        self.assertIn(f"{left_out} more timelines are in the reports",
                      self.evaluate("document.querySelector('#spans .note').textContent"))


if __name__ == "__main__":
    main()
