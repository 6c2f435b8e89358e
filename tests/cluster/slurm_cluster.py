# SPDX-License-Identifier: GPL-3.0-or-later
"""slurm_cluster.py - a real Slurm of one machine with several nodes, for as long as a test needs it.

Everything is in one temporary directory (configuration, key, sockets, spools, logs) and on free
ports: nothing in /etc is read or written, systemd is not needed, and other clusters on the machine
do not notice. Needs munged, slurmctld and slurmd (Debian: slurm-wlm and munge). The programs run as
the user who starts them, root or not.
"""

import contextlib
import ctypes
import getpass
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sinfo")
PLACES = os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin"
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
LIBC = ctypes.CDLL(None, use_errno=True)

CONFIGURATION = """\
ClusterName=campmate
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={directory}/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/spool.%n
SlurmctldPidFile={directory}/slurmctld.pid
SlurmdPidFile={directory}/slurmd.%n.pid
SlurmctldLogFile={directory}/slurmctld.log
SlurmdLogFile={directory}/slurmd.%n.log
# No control groups, no pinning, no MPI: works in any container.
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MailProg=/bin/true
ReturnToService=2
# Quick: nobody wants to wait for minutes until a node counts as lost.
SlurmdParameters=config_overrides
SlurmdTimeout={node_timeout}
MessageTimeout=3
KillWait=5
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,sched_min_interval=0
{nodes}
PartitionName=all Nodes={names} Default=YES State=UP
"""


def find(program):
    return shutil.which(program, path=PLACES)


def missing_programs():
    return [program for program in PROGRAMS if not find(program)]


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for sock in sockets:
        sock.bind(("127.0.0.1", 0))
    ports = [sock.getsockname()[1] for sock in sockets]
    for sock in sockets:
        sock.close()
    return ports


def processes():
    """{pid: parent} of all that run."""
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                text = Path("/proc", entry, "stat").read_text(encoding="utf-8", errors="replace")
                fields = text.rsplit(")", 1)[1].split()
                if fields[0] != "Z":
                    parents[int(entry)] = int(fields[1])
    return parents


def descendants(ancestor):
    parents = processes()
    family = {ancestor}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    return family - {ancestor}


def name_of(pid):
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
    return ""


def environment_of(pid):
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace")
        return dict(line.split("=", 1) for line in text.split("\0") if "=" in line)
    return {}


def kill(pid, number=signal.SIGKILL):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


class Cluster:
    """with Cluster() as cluster: ... - the nodes are n1, n2, ..., each with one CPU."""

    def __init__(self, nodes=2, node_timeout=5):
        self.names = [f"n{number}" for number in range(1, nodes + 1)]
        self.node_timeout = node_timeout
        self.daemons = {}

    def __enter__(self):
        # What daemons leave behind becomes a child of this process and is found at the end.
        LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        # The path of a socket has at most 107 bytes.
        self.directory = Path(tempfile.mkdtemp(prefix="campmate-slurm.", dir="/tmp"))
        self.directory.chmod(0o755)  # munged insists on it
        try:
            self.start()
        except BaseException:
            self.log_tails()
            self.stop()
            raise
        return self

    def __exit__(self, kind, _error, _trace):
        if kind:
            self.log_tails()
        self.stop()

    def start(self):
        (self.directory / "state").mkdir()
        key = self.directory / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(128))
        self.daemon("munged", "--foreground", f"--key-file={key}",
                    f"--socket={self.directory}/munge.socket",
                    f"--pid-file={self.directory}/munged.pid",
                    f"--log-file={self.directory}/munged.log",
                    f"--seed-file={self.directory}/munged.seed")
        self.wait("munged", lambda: (self.directory / "munge.socket").exists())
        ports = free_ports(len(self.names) + 1)
        host = socket.gethostname().split(".")[0]
        lines = [f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=1"
                 for name, port in zip(self.names, ports)]
        self.configuration = self.directory / "slurm.conf"
        self.configuration.write_text(CONFIGURATION.format(
            host=host, port=ports[-1], user=getpass.getuser(), directory=self.directory,
            node_timeout=self.node_timeout, nodes="\n".join(lines), names=",".join(self.names)),
            encoding="utf-8")
        self.daemon("slurmctld", "-D")
        for name in self.names:
            self.start_node(name)
        self.wait("the nodes", lambda: self.node_states() == {"idle"})

    def environment(self):
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("SLURM_", "SBATCH_"))}
        return {**kept, "PATH": PLACES, "SLURM_CONF": str(self.directory / "slurm.conf")}

    def daemon(self, program, *arguments, name=None):
        name = name or program
        with open(self.directory / f"{name}.out", "ab") as output:
            self.daemons[name] = subprocess.Popen(
                [find(program), *arguments], stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, env=self.environment(), start_new_session=True,
                # Not even a killed test leaves a daemon behind.
                preexec_fn=lambda: LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0))

    def start_node(self, name):
        self.daemon("slurmd", "-D", "-N", name, name=name)

    def wait(self, what, condition, seconds=60):
        deadline = time.monotonic() + seconds
        while not condition():
            for name, daemon in self.daemons.items():
                if daemon.poll() is not None:
                    raise RuntimeError(f"{name} ended with {daemon.returncode}")
            if time.monotonic() > deadline:
                raise RuntimeError(f"{what}: not there after {seconds} s")
            time.sleep(0.05)

    def command(self, *words, check=True):
        return subprocess.run([str(word) for word in words], env=self.environment(), text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=check, timeout=60).stdout

    def node_states(self):
        done = subprocess.run(["sinfo", "--noheader", "--Node", "--format=%t"], text=True,
                              env=self.environment(), stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False, timeout=60)
        return set(done.stdout.split())

    def jobs(self):
        """What runs: [(job, index in its array or None, node, {pids})]."""
        found = {}
        for pid in descendants(os.getpid()):
            environment = environment_of(pid)
            if "SLURM_JOB_ID" in environment and name_of(pid) != "slurmstepd":
                key = (environment["SLURM_JOB_ID"], environment.get("SLURM_ARRAY_TASK_ID"),
                       environment.get("SLURMD_NODENAME"))
                found.setdefault(key, set()).add(pid)
        return [(*key, pids) for key, pids in sorted(found.items(), key=str)]

    def kill_node(self, name):
        """As if somebody pulled the plug: the daemon and all that it had started are gone."""
        victims = set()
        for _, _, node, pids in self.jobs():
            if node == name:
                parents = processes()
                victims |= pids | {parents[pid] for pid in pids
                                   if name_of(parents.get(pid)) == "slurmstepd"}
        daemon = self.daemons.pop(name)
        daemon.kill()
        for pid in sorted(victims):  # parents first, so that none reports the death of a child
            kill(pid)
        daemon.wait()

    def stop(self):
        for name in reversed(list(self.daemons)):
            self.daemons[name].terminate()
        for daemon in self.daemons.values():
            try:
                daemon.wait(timeout=5)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        deadline = time.monotonic() + 10
        while (left := descendants(os.getpid())) and time.monotonic() < deadline:
            for pid in left:
                kill(pid)
            time.sleep(0.05)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        shutil.rmtree(self.directory, ignore_errors=True)

    def log_tails(self):
        for path in sorted([*self.directory.glob("*.log"), *self.directory.glob("*.out")]):
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            print(f"--- {path.name}", *lines[-25:], sep="\n", flush=True)
