#!/usr/bin/env python3
"""Our OpenMetrics as Prometheus sees them: accepted by promtool, scraped through the node exporter, queried back.

FA3PROF_BINARY names the program. Each part is skipped where its program is missing (Debian: prometheus,
prometheus-node-exporter).
"""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]
RECORDING = ROOT / "configs/recordings/h200_sxm_seq8192.json"
DASHBOARD = ROOT / "configs/grafana/fa3prof.json"
BINARY = os.environ.get("FA3PROF_BINARY", str(ROOT / "build/release/src/fa3prof"))


def metrics_of(*reports):
    command = [BINARY, "report", *map(str, reports), "--format", "openmetrics"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def fetch(url, seconds=30):
    """The body, as soon as the server gives one."""
    end = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5) as response:
                return response.read().decode()
        except (urllib.error.URLError, ConnectionError):
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def require(program):
    path = shutil.which(program)
    if path is None:
        raise unittest.SkipTest(f"{program} is not installed")
    return path


class Scrape(unittest.TestCase):
    def start(self, *command):
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def stop():
            server.terminate()
            server.wait(timeout=30)

        self.addCleanup(stop)

    def folder(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return pathlib.Path(folder.name)

    def test_promtool_accepts_every_recording(self):
        promtool = require("promtool")
        text = metrics_of(*sorted((ROOT / "configs/recordings").glob("*.json")))
        checked = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, text=True)
        self.assertEqual((checked.returncode, checked.stdout, checked.stderr), (0, "", ""))

    def test_what_is_scraped_is_what_was_measured(self):
        exporter = require("prometheus-node-exporter")
        prometheus = require("prometheus")
        folder = self.folder()
        (folder / "textfile").mkdir()
        (folder / "textfile/fa3prof.prom").write_text(metrics_of(RECORDING), encoding="utf-8")
        exporter_port, prometheus_port = free_port(), free_port()
        self.start(exporter, "--collector.disable-defaults", "--collector.textfile",
                   f"--collector.textfile.directory={folder}/textfile",
                   f"--web.listen-address=127.0.0.1:{exporter_port}")
        (folder / "prometheus.yml").write_text(
            "scrape_configs:\n"
            "  - job_name: node\n    scrape_interval: 1s\n    static_configs:\n"
            f"      - targets: ['127.0.0.1:{exporter_port}']\n", encoding="utf-8")
        self.start(prometheus, f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
                   f"--web.listen-address=127.0.0.1:{prometheus_port}")
        results = json.loads(RECORDING.read_text(encoding="utf-8"))["results"]
        for result in (r for r in results if r["source"] == "measured"):
            query = f'fa3prof_kernel_time_seconds{{source="measured",kernel="{result["kernel"]}"}}'
            value = self.query(prometheus_port, query)
            self.assertAlmostEqual(value * 1e6, result["time_us"], places=6)
        self.assertEqual(self.query(prometheus_port, "node_textfile_scrape_error"), 0.0)

    def query(self, port, query, seconds=60):
        """The value of the one series that matches, as soon as it is there."""
        url = f"http://127.0.0.1:{port}/api/v1/query?" + urllib.parse.urlencode({"query": query})
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            series = json.loads(fetch(url))["data"]["result"]
            if series:
                self.assertEqual(len(series), 1, query)
                return float(series[0]["value"][1])
            time.sleep(0.2)
        self.fail(f"{query} was never scraped")

    def test_the_dashboard_asks_for_metrics_that_there_are(self):
        text = metrics_of(RECORDING)
        names = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE ")}
        dashboard = json.loads(DASHBOARD.read_text(encoding="utf-8"))
        expressions = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
        self.assertGreater(len(expressions), 5)
        for expression in expressions:
            used = [word for word in expression.replace("{", " ").replace("(", " ").split() if word.startswith("fa3prof_")]
            self.assertTrue(used, expression)
            self.assertLessEqual(set(used), names, expression)


if __name__ == "__main__":
    program = unittest.main(exit=False, verbosity=2)
    if program.result.wasSuccessful() and program.result.skipped:
        print("SKIPPED: " + "; ".join(reason for _, reason in program.result.skipped))
    sys.exit(0 if program.result.wasSuccessful() else 1)
