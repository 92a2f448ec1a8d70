"""What the tests of the report page share: pages made of reports, opened in a real browser."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import browser

ROOT = pathlib.Path(__file__).resolve().parents[3]
RECORDINGS = ROOT / "configs/recordings"
SMALL = RECORDINGS / "h200_sxm_seq8192.json"
MOST_BYTES = 2_000_000

OPEN_ALL = """for (const details of document.querySelectorAll("main details")) details.open = true; updateFigures();
for (const figure of page.figures) { figure.isNear = true; figure.draw(); }"""
CELLS = """(selector) => [...document.querySelectorAll(selector + " tbody tr")].map((row) => [...row.cells].map((cell) =>
  [cell.textContent, cell.dataset.value === undefined ? null : Number(cell.dataset.value)]))"""


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


class PageCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.browser = browser.Browser(browser.find())
        cls.addClassCleanup(cls.browser.close)

    @classmethod
    def make(cls, reports, name):
        path = cls.folder / f"{name}.html"
        subprocess.run([os.environ["FA3PROF_BINARY"], "report", *map(str, reports), "--format", "html", "-o", str(path)],
                       check=True)
        return path

    @classmethod
    def make_from(cls, report, name):
        path = cls.folder / f"{name}.json"
        path.write_text(json.dumps(report), encoding="utf-8")
        return cls.make([path], name)

    def tearDown(self):
        self.assertEqual(self.browser.faults(), [])

    def open_and_see(self, path, theme="light"):
        """Opens a page and waits for the first chart, which is drawn when it comes near the screen."""
        self.browser.open(path, theme)
        self.browser.wait("document.querySelector('#bars .plot svg')")

    def cells(self, selector):
        return self.browser.evaluate(f"({CELLS})({json.dumps(selector)})")

    def evaluate(self, expression):
        return self.browser.evaluate(expression)


def main():
    if browser.find() is None:
        print("SKIPPED: no Chromium is installed; scripts/setup.sh tests installs it on Debian, FA3PROF_BROWSER names another")
        sys.exit(0)
    unittest.main()
