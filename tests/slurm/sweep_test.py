"""scripts/sweep.sbatch under a Slurm of one node that is started for it: slurmctld and slurmd on free ports, with their
files in a folder of their own. The array runs `simulate`, which takes no GPU and deals its sweep as `run` does; what is
tested is the sbatch file, Slurm's numbers in it, the shards and their merging, not a measurement.
Skips itself where Slurm is not installed or this is not root, whom slurmd must be."""
import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import unittest

BINARY = os.environ["FA3PROF_BINARY"]
SCRIPT = pathlib.Path(__file__).parents[2] / "scripts" / "sweep.sbatch"
PROGRAMS = ["slurmctld", "slurmd", "sbatch", "scontrol", "sinfo", "scancel"]
SWEEP = ["simulate", "--kernel", "fa2,fa3", "--seq", "512,1k,2k,4k,8k"]
SECONDS = 60

CONFIG = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerParameters=sched_min_interval=100000
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=10 State=UP
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run(arguments, **options):
    return subprocess.run(arguments, capture_output=True, text=True, timeout=SECONDS, check=False, **options)


def report_of(path):
    document = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    return [result for result in document["results"]]


class Cluster:
    """One node, until close()."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.config = self.folder / "slurm.conf"
        self.daemons = []
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        host = socket.gethostname().split(".")[0]
        self.config.write_text(CONFIG.format(
            host=host, folder=folder, controller=free_port(), node=free_port(), cpus=os.cpu_count()), encoding="utf-8")
        self.environment = dict(os.environ, SLURM_CONF=str(self.config))
        for daemon in ("slurmctld", "slurmd"):
            self.daemons.append(subprocess.Popen(
                [daemon, "-D", "-f", str(self.config)], env=self.environment,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def logs(self):
        return "\n".join(path.read_text(errors="replace")[-3000:] for path in self.folder.glob("slurm*.log"))

    def wait_until_idle(self):
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            state = run(["sinfo", "-h", "-o", "%t"], env=self.environment).stdout.strip()
            if state == "idle":
                return
            time.sleep(0.3)
        raise AssertionError("the node did not come up:\n" + self.logs())

    def submit(self, options, arguments, folder):
        return run(["sbatch", "--wait", *options, str(SCRIPT), *arguments], cwd=folder,
                   env=dict(self.environment, FA3PROF=BINARY))

    def close(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                daemon.wait(10)
            if daemon.poll() is None:
                daemon.kill()
                daemon.wait()


class Sweep(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="fa3prof_slurm")
        cls.cluster = Cluster(cls.folder.name)
        try:
            cls.cluster.wait_until_idle()
        except BaseException:
            cls.tearDownClass()
            raise

    @classmethod
    def tearDownClass(cls):
        cls.cluster.close()
        cls.folder.cleanup()

    def test_the_merged_shards_of_an_array_are_the_sweep(self):
        with tempfile.TemporaryDirectory() as folder:
            outcome = self.cluster.submit(["--array=1-3"], SWEEP, folder)
            logs = "\n".join(p.read_text() for p in pathlib.Path(folder).glob("*.log"))
            self.assertEqual(outcome.returncode, 0, outcome.stderr + logs + self.cluster.logs())
            shards = sorted(str(path) for path in pathlib.Path(folder).glob("shard*.json"))
            self.assertEqual(len(shards), 3)
            sizes = [len(report_of(shard)) for shard in shards]
            self.assertEqual(sizes, [4, 4, 2])
            merged = run([BINARY, "merge", *shards, "-o", f"{folder}/merged.json"])
            self.assertEqual(merged.returncode, 0, merged.stderr)
            whole = run([BINARY, *SWEEP, "--quiet", "--json", f"{folder}/whole.json"])
            self.assertEqual(whole.returncode, 0, whole.stderr)
            self.assertEqual(report_of(f"{folder}/merged.json"), report_of(f"{folder}/whole.json"))

    def test_a_shard_that_fails_fails_its_task(self):
        with tempfile.TemporaryDirectory() as folder:
            outcome = self.cluster.submit(["--array=1-2"], ["simulate", "--kernel", "none"], folder)
            self.assertNotEqual(outcome.returncode, 0)

    def test_what_is_no_array_from_one_is_refused(self):
        for options in ([], ["--array=0-1"], ["--array=1,3"]):
            with tempfile.TemporaryDirectory() as folder:
                outcome = self.cluster.submit(options, SWEEP, folder)
                self.assertNotEqual(outcome.returncode, 0)
                self.assertEqual(list(pathlib.Path(folder).glob("shard*.json")), [])


if __name__ == "__main__":
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing or os.geteuid() != 0:
        print("SKIPPED: " + (f"Slurm is not installed ({', '.join(missing)})" if missing else "slurmd takes root"))
    else:
        unittest.main()
