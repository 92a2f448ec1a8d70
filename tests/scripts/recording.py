"""A made-up recording: what the program simulates, called measured, with cycles that give errors known beforehand."""

import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SIMULATED_ONLY = ("pipeline", "machine", "limiter", "breakdown", "terms", "clock_mhz", "clock_basis")


def simulate(*flags):
    command = [os.environ["FA3PROF_BINARY"], "simulate", *flags, "--quiet", "--json", "-"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def measured(result, error):
    """`result` as a measurement that the model will be found to exceed by the ratio `error`."""
    result = {key: value for key, value in result.items() if key not in SIMULATED_ONLY}
    return {**result, "source": "measured", "cycles": result["cycles"] / (1 + error)}


def recording(error_of, *flags):
    """A report of every row of `simulate <flags>` on an H200; error_of(result) is the error of each."""
    report = simulate("--machine", "h200_sxm", *flags)
    real = json.loads((ROOT / "configs/recordings/h200_sxm_seq8192.json").read_text(encoding="utf-8"))
    report["environment"] = real["environment"]
    report["seed"] = 1
    report["results"] = [measured(result, error_of(result)) for result in report["results"]]
    report["deviations"] = []
    report["speedups"] = []
    return report


def write(path, report):
    path.write_text(json.dumps(report), encoding="utf-8")
    return path
