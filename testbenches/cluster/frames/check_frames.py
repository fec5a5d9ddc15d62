# SPDX-License-Identifier: Apache-2.0
"""Independent check of a run's frames: tshark must decode every frame, and every ICRC must verify.

Usage: check_frames.py FILE.pcapng
Three opinions that share no code with the project: tshark (dissection), zlib's CRC-32 over the masked bytes (every frame), and
scapy's RoCE layer (the first frames, as a check of the check). Exit status 0 when all agree, 1 with the first findings.
"""
import shutil
import struct
import subprocess
import sys
import zlib

SCAPY_FRAMES = 200
ROCE_PORT = 4791


def pcapng_frames(path):
    """Yields (number, bytes) of every enhanced packet block."""
    data = open(path, "rb").read()
    position, number, order = 0, 0, "<"
    while position + 12 <= len(data):
        kind = struct.unpack_from("<I", data, position)[0]
        if kind == 0x0A0D0D0A:
            order = "<" if data[position + 8:position + 12] == b"\x4d\x3c\x2b\x1a" else ">"
        length = struct.unpack_from(order + "I", data, position + 4)[0]
        if length < 12 or position + length > len(data):
            raise SystemExit(f"{path}: block at byte {position} has length {length}, file has {len(data)} bytes")
        if struct.unpack_from(order + "I", data, position)[0] == 6:
            number += 1
            captured = struct.unpack_from(order + "I", data, position + 20)[0]
            yield number, data[position + 28:position + 28 + captured]
        position += length


def icrc_good(frame):
    """True, False, or None when the frame is not RoCEv2 over IPv4."""
    if frame[12:14] != b"\x08\x00" or frame[23] != 17 or struct.unpack_from(">H", frame, 36)[0] != ROCE_PORT:
        return None
    end = 14 + struct.unpack_from(">H", frame, 16)[0]
    covered = bytearray(frame[14:end - 4])
    for offset in (1, 8, 10, 11, 26, 27, 32):  # TOS, TTL, IP checksum, UDP checksum, BTH byte 4
        covered[offset] = 0xFF
    return zlib.crc32(b"\xff" * 8 + bytes(covered)) == struct.unpack_from("<I", frame, end - 4)[0]


def scapy_good(frame):
    from scapy.contrib.roce import BTH
    from scapy.layers.l2 import Ether
    packet = Ether(frame[:14 + struct.unpack_from(">H", frame, 16)[0]])
    if BTH not in packet:
        return False
    sent = bytes(packet)[-4:]
    del packet[BTH].icrc
    return bytes(Ether(bytes(packet)))[-4:] == sent


def tshark_findings(path):
    """(frames, frames that are malformed or not decoded as RoCE, ARP or ICMP)."""
    # The payload of a SEND is data here; tshark would guess at RPC over RDMA in it.
    command = ["tshark", "-r", path, "--disable-protocol", "rpcordma", "-o", f"infiniband.rroce.port:{ROCE_PORT}", "-T", "fields", "-e", "frame.number", "-e", "frame.protocols", "-e", "_ws.malformed"]
    result = subprocess.run(command, capture_output=True, text=True)
    lines = result.stdout.splitlines()
    bad = [f"tshark: {result.stderr.strip().splitlines()[-1]}"] if result.returncode else []
    for line in lines:
        fields = line.split("\t") + ["", ""]
        known = any(p in fields[1].split(":") for p in ("infiniband", "arp", "icmp"))
        if fields[2] or not known:
            bad.append(f"frame {fields[0]}: protocols {fields[1]}{' malformed' if fields[2] else ''}")
    return len(lines), bad


def main(path):
    frames = roce = 0
    problems = []
    for number, frame in pcapng_frames(path):
        frames += 1
        good = icrc_good(frame)
        if good is None:
            continue
        roce += 1
        if not good:
            problems.append(f"frame {number}: ICRC wrong (zlib)")
        if roce <= SCAPY_FRAMES and not scapy_good(frame):
            problems.append(f"frame {number}: ICRC wrong (scapy)")
    if roce == 0:
        problems.append("no RoCE frame in the file")
    if shutil.which("tshark"):
        decoded, bad = tshark_findings(path)
        problems += bad
        if decoded != frames:
            problems.append(f"tshark reads {decoded} frames, the file has {frames}")
    else:
        problems.append("tshark is not installed")
    for problem in problems[:20]:
        print(problem)
    print(f"{path.split('/')[-1]}: {frames} frames, {roce} RoCE, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    sys.exit(main(sys.argv[1]))
