# SPDX-License-Identifier: Apache-2.0
"""bzImage -> ELF kernel, which QEMU enters through PVH: the guest need not decompress itself, which takes it ten seconds.
usage: extract_vmlinux.py BZIMAGE ELF"""
import gzip
import lzma
import struct
import subprocess
import sys


def decompress(payload):
    if payload.startswith(b"\xfd7zXZ\0"):
        return lzma.LZMADecompressor().decompress(payload)
    if payload.startswith(b"\x28\xb5\x2f\xfd"):
        return subprocess.run(["zstd", "-dcq"], input=payload[:-4], stdout=subprocess.PIPE, check=False).stdout
    if payload.startswith(b"\x1f\x8b"):
        return gzip.decompress(payload)
    sys.exit(f"unknown compression of the kernel: {payload[:8].hex()}")


def main():
    image = open(sys.argv[1], "rb").read()
    # Linux/x86 boot protocol 2.08: setup_sects at 0x1f1, payload_offset and payload_length at 0x248.
    setup_sectors = image[0x1F1] or 4
    offset, length = struct.unpack_from("<II", image, 0x248)
    kernel = decompress(image[(setup_sectors + 1) * 512 + offset:][:length])
    if not kernel.startswith(b"\x7fELF"):
        sys.exit("the kernel's payload is no ELF file")
    open(sys.argv[2], "wb").write(kernel)


main()
