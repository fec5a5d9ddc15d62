# SPDX-License-Identifier: Apache-2.0
"""What every check needs: paths, tracked files, the law table, running tools, printing findings."""
import os
import pathlib
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAWS = tomllib.loads((ROOT / "tools/checks/laws.toml").read_text())
RTL_BLOCKS = list(LAWS["rtl"])


def tracked(*patterns):
    """Files of the project (tracked, or new and not ignored) that match any glob pattern."""
    out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return sorted(ROOT / line for line in set(out.stdout.splitlines()) if (ROOT / line).is_file())


def relative(path):
    return path.relative_to(ROOT).as_posix()


def block_files(block):
    """The files of a block's list, in order."""
    folder = ROOT / "rtl" / block
    lines = (folder / f"{block}.f").read_text().splitlines()
    return [folder / line.strip() for line in lines if line.strip() and not line.startswith(("#", "//"))]


def block_closure(block):
    """The block and everything below it, in the order in which the file lists are read."""
    law = LAWS["rtl"][block]
    below = set(law["uses"]) | set(law.get("packages", []))
    for other in list(below):
        below |= set(block_closure(other))
    return [b for b in RTL_BLOCKS if b in below or b == block]


def verilator():
    homes = sorted(ROOT.glob(".venv/lib/python3*/site-packages/verilator/bin/verilator"))
    return str(homes[0]) if homes else "verilator"


def venv_tool(name):
    return str(ROOT / ".venv/bin" / name)


def run(command, **kwargs):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, **kwargs)


class Findings:
    """Collects what is wrong; prints each finding once, as `path:line: text`."""

    def __init__(self, name):
        self.name = name
        self.items = []

    def add(self, where, text):
        self.items.append(f"{where}: {text}")

    def report(self):
        for item in self.items:
            print(item)
        print(f"{'ok  ' if not self.items else 'FAIL'} {self.name}" + (f" ({len(self.items)} findings)" if self.items else ""))
        sys.stdout.flush()
        return not self.items


def jobs():
    return os.cpu_count() or 1
