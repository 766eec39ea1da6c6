"""A Slurm cluster of one node on the loopback interface, for as long as a command runs.

``python -m tests.engines.slurm COMMAND ...`` runs a command in it. It needs the programs of Debian's packages
slurmctld, slurmd, slurm-client and munge (``tests/engines/install_slurm.sh``); their configuration below /etc
and their services are left alone. Daemons run in the foreground, as children, under the user who starts them.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from getpass import getuser
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "sinfo", "scontrol")
_DAEMONS = "/usr/sbin:/usr/local/sbin:/sbin"
_SECONDS = 60

# Jobs are followed by their processes and confined to nothing: a container may have no cgroups to hand out.
_CONF = """\
ClusterName=loopback
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ctld}
SlurmdPort={slurmd}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/builtin
SchedulerParameters=defer,sched_interval=1,sched_min_interval=100000
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MaxArraySize=1001
MinJobAge=10
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory} State=UNKNOWN
PartitionName=debug Nodes={host} Default=YES MaxTime=01:00:00 OverSubscribe=NO State=UP
"""
_CGROUP = "CgroupPlugin=autodetect\nConstrainCores=no\nConstrainRAMSpace=no\n"


def missing() -> list[str]:
    """Return the programs that are not installed."""
    return [program for program in PROGRAMS if shutil.which(program, path=_path()) is None]


@contextmanager
def cluster(folder: Path, cpus: int) -> Iterator[Mapping[str, str]]:
    """Run a cluster.

    Args:
        folder: for configuration, keys, state and logs; short, as it holds a socket.
        cpus: how many tasks of one core run at a time.

    Yields:
        The variables that commands of Slurm need.

    Raises:
        RuntimeError: if a daemon does not come up; says what it logged.
    """
    env = {"SLURM_CONF": str(_configured(folder, cpus)), "PATH": _path()}
    munge = folder / "munge"
    with ExitStack() as stack:
        stack.callback(_kill_steps, folder)
        stack.enter_context(
            _daemon(
                folder,
                env,
                *("munged", "--foreground", "--force", f"--key-file={munge}/key", f"--socket={munge}/socket"),
                *(f"--pid-file={munge}/pid", f"--seed-file={munge}/seed", "--num-threads=2"),
            )
        )
        _await("munged", folder, lambda: (munge / "socket").exists())
        stack.enter_context(_daemon(folder, env, "slurmctld", "-D", "-i"))
        stack.enter_context(_daemon(folder, env, "slurmd", "-D"))
        _await("slurmd", folder, lambda: _said(env, "sinfo", "--noheader", "-o", "%T") == "idle")
        yield env


def _configured(folder: Path, cpus: int) -> Path:
    """Write what the daemons read."""
    for name in ("munge", "state", "spool"):
        (folder / name).mkdir(parents=True)
    key = folder / "munge/key"
    key.touch(0o600)
    key.write_bytes(secrets.token_bytes(128))
    conf = folder / "slurm.conf"
    with socket.socket() as one, socket.socket() as two:
        for each in (one, two):
            each.bind(("127.0.0.1", 0))
        ctld, slurmd = (each.getsockname()[1] for each in (one, two))
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // (1 << 20)
    host = socket.gethostname().partition(".")[0]
    settings = {"folder": folder, "host": host, "user": getuser(), "cpus": cpus, "memory": memory * 9 // 10}
    conf.write_text(_CONF.format(**settings, ctld=ctld, slurmd=slurmd))
    (folder / "cgroup.conf").write_text(_CGROUP)
    return conf


@contextmanager
def _daemon(folder: Path, env: Mapping[str, str], *command: str) -> Iterator[None]:
    with (folder / f"{command[0]}.out").open("w") as log:
        process = subprocess.Popen(
            command, env={**os.environ, **env}, stdout=log, stderr=log, start_new_session=True
        )
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _kill_steps(folder: Path) -> None:
    """Kill what slurmd started for jobs: these processes are not its children, and outlive it."""
    for entry in Path("/proc").iterdir():
        try:
            about = (entry / "environ").read_bytes() if entry.name.isdigit() else b""
            if f"SLURM_CONF={folder}/slurm.conf".encode() in about and b"SLURM_JOB_ID=" in about:
                os.kill(int(entry.name), signal.SIGKILL)
        except OSError:
            continue


def _await(what: str, folder: Path, ready: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _SECONDS
    while not ready():
        if time.monotonic() > deadline:
            logs = "\n".join(
                f"{path.name}: {path.read_text(errors='replace')[-600:]}"
                for path in sorted([*folder.glob("*.out"), *folder.glob("*.log")])
            )
            raise RuntimeError(f"{what} does not come up within {_SECONDS} s\n{logs}")
        time.sleep(0.2)


def _said(env: Mapping[str, str], *command: str) -> str:
    done = subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def _path() -> str:
    return f"{os.environ.get('PATH', '')}:{_DAEMONS}"


def main(command: Sequence[str]) -> int:
    """Run a command in a cluster with as many tasks as there are cores, and return its status."""
    if not command or missing():
        sys.stderr.write(f"usage: python -m tests.engines.slurm COMMAND ...; not installed: {missing()}\n")
        return 2
    with (
        tempfile.TemporaryDirectory(prefix="slurm-") as folder,
        cluster(Path(folder), os.cpu_count() or 1) as env,
    ):
        return subprocess.run(command, env={**os.environ, **env}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
