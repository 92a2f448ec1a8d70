#!/usr/bin/env python3
"""fa3prof history --format html: the page in a real browser. Prints "SKIPPED: ..." where none is installed."""

import copy
import json
import os
import subprocess

from page_case import MOST_BYTES, OPEN_ALL, SMALL, PageCase, load, main


def report_of_day(day, factor):
    """The recorded run, as if fa3 had taken `factor` of its time."""
    report = copy.deepcopy(load(SMALL))
    report["created_at"] = f"2026-12-{day:02}T00:00:00Z"
    for result in report["results"]:
        if result["kernel"] != "fa3" or "timing" not in result:
            continue
        result["time_us"] *= factor
        result["timing"]["median_us"] *= factor
        result["timing"]["samples_us"] = [time * factor for time in result["timing"]["samples_us"]]
        result["timing"]["median_ci95_us"] = {
            key: time * factor for key, time in result["timing"]["median_ci95_us"].items()}
    return report


class History(PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        nightly = cls.folder / "nightly"
        nightly.mkdir()
        for day in range(1, 17):
            factor = (1.0 if day <= 8 else 1.08) * (1.5 if day == 3 else 1.0) * (1.0 + 0.0005 * (day % 3))
            (nightly / f"night{day:02}.json").write_text(json.dumps(report_of_day(day, factor)), encoding="utf-8")
        cls.path = cls.folder / "history.html"
        subprocess.run([os.environ["FA3PROF_BINARY"], "history", str(nightly), "--format", "html", "-o", str(cls.path)],
                       check=True)

    def open(self):
        self.browser.open(self.path)
        self.browser.wait("document.documentElement.dataset.ready")
        self.evaluate(OPEN_ALL)

    def test_the_step_is_the_only_change_and_the_odd_night_is_none(self):
        self.open()
        changes = self.cells("#changes")
        self.assertEqual(len(changes), 1)
        texts = [text for text, _ in changes[0]]
        self.assertEqual(texts[0], "fa3")
        self.assertEqual(texts[3], "night09")
        self.assertAlmostEqual(changes[0][2][1], 0.08, delta=0.002)

    def test_the_chart_marks_the_change_and_its_table_has_every_night(self):
        self.open()
        marks = self.evaluate("""page.figures[0].charts[0].chart.getOption().series.flatMap((series) =>
          series.data.filter((item) => item.symbolSize > 6).map((item) => item.text))""")
        self.assertEqual(len(marks), 1)
        self.assertIn("+8.0 %, a new level", marks[0])
        self.assertEqual(len(self.cells("#course details.data")), 16)
        self.assertEqual(len(self.cells("#reports")), 16)
        self.assertFalse(self.evaluate("/NaN|undefined/.test(document.body.innerText)"))

    def test_it_is_small_and_asks_nothing_of_a_network(self):
        self.assertLess(self.path.stat().st_size, MOST_BYTES)
        self.assertIn("default-src 'none'", self.path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
