"""The program as a process, and what it reads."""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def load(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def problem_flags(problem):
    flags = ["--dtype", problem["dtype"], "--head-dim", problem["head_dim"], "--batch", problem["batch"]]
    flags += ["--heads", problem["num_heads"], "--kv-heads", problem["num_heads_kv"]]
    flags += ["--seq", problem["seqlen_q"], "--seq-kv", problem["seqlen_kv"]]
    return [*flags, "--causal" if problem["is_causal"] else "--no-causal"]


class Model:
    """The program, as a process."""

    def __init__(self, program):
        self.program = program

    def simulate(self, *flags):
        command = [str(self.program), "simulate", *map(str, flags), "--quiet", "--json", "-"]
        if not pathlib.Path(self.program).exists():
            sys.exit(f"{self.program} is not there; build it (scripts/build.sh) or name it with --fa3prof")
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout)
