# SPDX-License-Identifier: Apache-2.0
"""Entry of tools/lint."""
import sys

from checks import cpp, laws, rtl, text

CHECKS = {
    "laws": laws.check,
    "text": text.check,
    "verilator": rtl.check_verilator,
    "sv-format": rtl.check_format,
    "sv-style": rtl.check_style,
    "cpp-format": cpp.check_format,
    "headers": cpp.check_headers_alone,
    "tidy": cpp.check_tidy,
}


def main(arguments):
    if arguments == ["--fix"]:
        return 0 if rtl.check_format(fix=True) and cpp.check_format(fix=True) else 1
    unknown = [a for a in arguments if a not in CHECKS]
    if unknown:
        print(f"tools/lint: unknown check {unknown[0]!r}; known: {', '.join(CHECKS)} or --fix", file=sys.stderr)
        return 2
    results = [CHECKS[name]() for name in (arguments or CHECKS)]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
