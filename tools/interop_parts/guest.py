# SPDX-License-Identifier: Apache-2.0
"""A Linux guest with soft RoCE under QEMU's software emulation. It boots once; after that every start resumes the state it had then."""
import hashlib
import json
import os
import re
import select
import socket
import subprocess
import time

from interop_parts.endpoint import Endpoint

HERE = os.path.dirname(os.path.abspath(__file__))
MAC = "02:00:00:00:00:03"  # of the node behind the last of sim/configs/bridge.toml
ADDRESS = "10.0.0.3"
# Neighbours are permanent, so that a slow answer never meets the kernel's own address resolution.
NEIGHBOURS = {"10.0.0.1": "02:00:00:00:00:01", "10.0.0.2": "02:00:00:00:00:02"}
# A busy host may hold the guest's timer back for longer than the kernel's check of it waits (no_timer_check).
KERNEL_LINE = (f"console=ttyS0 quiet panic=-1 no_timer_check mitigations=off random.trust_cpu=on tsc=reliable ip={ADDRESS}/24 mtu=4200 "
               "ctl=10.0.2.15/24")
TCP_SERVER = "10.0.2.100"  # where the guest finds the host's side of perftest
TCP_PORT = 18515


class Monitor:
    """QEMU's own command channel (QMP)."""

    def __init__(self, channel):
        self.channel, self.lines = channel, channel.makefile("rw")

    def __enter__(self):
        self.lines.readline()
        self.command("qmp_capabilities")
        return self

    def __exit__(self, *_):
        self.lines.close()
        self.channel.close()

    def command(self, name, **arguments):
        self.lines.write(json.dumps({"execute": name, "arguments": arguments}) + "\n")
        self.lines.flush()
        while True:  # events come between
            answer = json.loads(self.lines.readline())
            if "error" in answer:
                raise RuntimeError(f"QEMU refuses {name}: {answer['error']}")
            if "return" in answer:
                return answer["return"]


class Guest(Endpoint):
    """`image` is the folder of guest/build, `folder` holds the sockets and logs of this run."""

    name = "guest"
    port = 2  # of the switch
    too_long = "local QP operation error"  # the word of rxe for it
    lossy_timeout = 17  # 0.54 s: QEMU may be slow

    def __init__(self, image, folder, frames):
        self.folder = folder
        self.tcp_path = os.path.join(folder, "perftest.sock")
        self.host_port = self.free_port()
        self.buffer = b""
        serial, qmp = (os.path.join(folder, name) for name in ("serial.sock", "qmp.sock"))
        fixed = ["-M", "pc", "-accel", "tcg", "-cpu", "qemu64", "-m", "192", "-smp", "1", "-nodefaults", "-no-user-config",
                 "-display", "none", "-no-reboot", "-kernel", f"{image}/vmlinux.elf", "-initrd", f"{image}/initrd.cpio",
                 "-append", KERNEL_LINE]
        snapshot = os.path.join(image, "snapshot-" + self.identity(image, fixed))
        pipe = f"python3 {HERE}/pipe.py {self.tcp_path}".replace(",", ",,")
        command = ["qemu-system-x86_64", *fixed,
                   "-serial", f"file:{folder}/console.log", "-serial", f"unix:{serial},server=on,wait=off",
                   "-qmp", f"unix:{qmp},server=on,wait=off",
                   "-netdev", f"stream,id=wire,server=off,addr.type=unix,addr.path={frames}",
                   "-device", f"virtio-net-pci,netdev=wire,mac={MAC}",
                   "-netdev", f"user,id=host,restrict=on,guestfwd=tcp:{TCP_SERVER}:{TCP_PORT}-cmd:{pipe},"
                              f"hostfwd=tcp:127.0.0.1:{self.host_port}-10.0.2.15:{TCP_PORT}",
                   "-device", "virtio-net-pci,netdev=host,mac=52:54:00:00:00:99"]
        resumed = os.path.exists(snapshot)
        if resumed:
            command += ["-incoming", f"exec:cat '{snapshot}'"]
        with open(f"{folder}/qemu.log", "wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        try:
            self.begin(serial, qmp, snapshot, resumed)
        except BaseException:  # an interruption too: no guest is left running
            self.stop()
            raise

    def begin(self, serial, qmp, snapshot, resumed):
        self.socket = self.connect(serial)
        if not resumed:
            self.until(rb"READY ([\d.]+)\r?\n", 600)
            self.shell("; ".join(f"/bin/ip neigh replace {ip} lladdr {mac} dev eth0 nud permanent"
                                 for ip, mac in NEIGHBOURS.items()))
            self.save(qmp, snapshot)
        else:
            self.resume(qmp)
        self.shell("true")

    @staticmethod
    def free_port():
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return probe.getsockname()[1]

    @staticmethod
    def identity(image, fixed):
        """Of everything that the saved state depends on."""
        version = subprocess.run(["qemu-system-x86_64", "--version"], capture_output=True, check=True).stdout
        parts = [open(f"{image}/stamp", "rb").read(), version, " ".join(fixed).encode(), repr((MAC, NEIGHBOURS)).encode()]
        return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]

    def connect(self, path):
        end = time.monotonic() + 30
        while time.monotonic() < end and self.process.poll() is None:
            channel = socket.socket(socket.AF_UNIX)
            try:
                channel.connect(path)
                return channel
            except OSError:
                channel.close()
                time.sleep(0.05)
        raise RuntimeError("the guest did not start:\n" + open(f"{self.folder}/qemu.log").read())

    def save(self, qmp, snapshot):
        """Writes the guest's whole state, then lets it go on."""
        with Monitor(self.connect(qmp)) as monitor:
            monitor.command("stop")
            monitor.command("migrate", uri=f"exec:cat > '{snapshot}.part'")
            while (status := monitor.command("query-migrate")["status"]) not in ("completed", "failed"):
                time.sleep(0.1)
            monitor.command("cont")
        if status == "completed":
            os.rename(f"{snapshot}.part", snapshot)

    def resume(self, qmp):
        """The saved state is that of a stopped guest; what is said to it before it is loaded is lost."""
        with Monitor(self.connect(qmp)) as monitor:
            while (status := monitor.command("query-status")["status"]) == "inmigrate":
                time.sleep(0.05)
            if status != "running":
                monitor.command("cont")

    def until(self, pattern, timeout):
        end = time.monotonic() + timeout
        while not (match := re.search(pattern, self.buffer)):
            ready, _, _ = select.select([self.socket], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise TimeoutError(f"guest: nothing like {pattern} within {timeout} s; there is {self.buffer[-400:]}")
            data = self.socket.recv(65536)
            if not data:
                raise RuntimeError("the guest ended:\n" + open(f"{self.folder}/console.log").read()[-2000:])
            self.buffer += data
        before, self.buffer = self.buffer[:match.start()], self.buffer[match.end():]
        return before, match

    def start(self, line):
        self.socket.sendall(line.encode() + b"\n")

    def finish(self, timeout):
        output, match = self.until(rb"<<<rc=(\d+)>>>\r?\n", timeout)
        return int(match[1]), output.decode(errors="replace").replace("\r", "")

    def shell(self, line, timeout=120):
        """Runs a shell command; status and output."""
        self.start(line)
        return self.finish(timeout)

    def begin_peer(self):
        """From here to end_peer() the command channel belongs to rxe_peer."""
        self.start("rxe_peer <&3")
        self.until(rb"ok rxe_peer\r?\n", 60)

    def end_peer(self):
        self.start("quit")
        self.finish(60)

    def exchange(self, line, timeout):
        self.start(line)
        _, match = self.until(rb"((ok|err)[^\n]*)\n", timeout)
        return match[1].decode(errors="replace").rstrip("\r")

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
