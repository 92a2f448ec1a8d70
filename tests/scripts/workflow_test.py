"""The workflows: that they are well-formed, by actionlint where it is installed, and that the gate of speed.yml does what it
says, its steps being run here as a runner runs them. Skips itself without PyYAML."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

try:
    import yaml
except ImportError:
    yaml = None

ROOT = pathlib.Path(__file__).parents[2]
WORKFLOWS = ROOT / ".github" / "workflows"
RECORDING = ROOT / "configs" / "recordings" / "h200_sxm_seq8192.json"
BINARY = os.environ["FA3PROF_BINARY"]


def slowed(document, factor):
    """The report with fa3 taking `factor` of its time at the same clock."""
    changed = json.loads(json.dumps(document))
    for result in changed["results"]:
        if result["kernel"] != "fa3" or "timing" not in result:
            continue
        timing = result["timing"]
        timing["samples_us"] = [time * factor for time in timing["samples_us"]]
        timing["median_us"] *= factor
        timing["median_ci95_us"] = {key: time * factor for key, time in timing["median_ci95_us"].items()}
        result["time_us"] *= factor
        if "cycles" in result:
            result["cycles"] *= factor
    return changed


def run_step(step, folder, **environment):
    """As a runner: bash -e, with files for outputs and the summary."""
    (folder / "output").touch()
    (folder / "summary").touch()
    return subprocess.run(
        ["bash", "-e", "-c", step["run"]], cwd=folder, capture_output=True, text=True, timeout=120, check=False,
        env=dict(os.environ, FA3PROF=BINARY, CUDA_VISIBLE_DEVICES="", GITHUB_OUTPUT=str(folder / "output"),
                 GITHUB_STEP_SUMMARY=str(folder / "summary"), **environment))


@unittest.skipIf(yaml is None, "no PyYAML")
class Workflows(unittest.TestCase):
    def setUp(self):
        jobs = yaml.safe_load((WORKFLOWS / "speed.yml").read_text(encoding="utf-8"))["jobs"]
        self.steps = {step.get("name"): step for step in jobs["speed"]["steps"]}

    def test_actionlint_finds_nothing(self):
        if shutil.which("actionlint") is None:
            self.skipTest("no actionlint")
        outcome = subprocess.run(["actionlint"], cwd=ROOT, capture_output=True, text=True, check=False)
        self.assertEqual(outcome.returncode, 0, outcome.stdout)

    def test_every_workflow_is_yaml_with_jobs(self):
        for path in WORKFLOWS.glob("*.yml"):
            self.assertTrue(yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"], path)

    def test_no_pull_request_starts_the_runner_by_itself(self):
        workflow = yaml.safe_load((WORKFLOWS / "speed.yml").read_text(encoding="utf-8"))
        triggers = workflow[True]  # YAML 1.1 reads the key `on` so
        self.assertEqual(triggers, {"workflow_dispatch": None, "pull_request": {"types": ["labeled"]}})
        self.assertIn("github.event.label.name == 'measure'", workflow["jobs"]["speed"]["if"])

    def test_the_measurement_is_a_command_that_exists(self):
        with tempfile.TemporaryDirectory() as folder:
            outcome = run_step(self.steps["Measure"], pathlib.Path(folder))
        self.assertEqual(outcome.returncode, 3, outcome.stderr)  # no GPU; 2 would be bad usage

    def test_the_gate_fails_for_a_slower_kernel_only(self):
        base = json.loads(RECORDING.read_text(encoding="utf-8"))
        for factor, expected in ((1.0, 0), (0.9, 0), (1.08, 1)):
            with self.subTest(factor=factor), tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                (folder / "main").mkdir()
                (folder / "main" / "report.json").write_text(json.dumps(base), encoding="utf-8")
                (folder / "report.json").write_text(json.dumps(slowed(base, factor)), encoding="utf-8")
                compared = run_step(self.steps["Compare"], folder)
                self.assertEqual(compared.returncode, 0, compared.stderr)
                self.assertEqual((folder / "output").read_text(encoding="utf-8"), f"code={expected}\n")
                self.assertIn("fa3", (folder / "comment.md").read_text(encoding="utf-8"))
                self.assertEqual((folder / "summary").read_text(encoding="utf-8"),
                                 (folder / "comment.md").read_text(encoding="utf-8"))
                self.assertEqual(run_step(self.steps["Gate"], folder, CODE=str(expected)).returncode, expected)


if __name__ == "__main__":
    if yaml is None:
        print("SKIPPED: no PyYAML")
    else:
        unittest.main()
