# SPDX-License-Identifier: Apache-2.0
"""Checks on how the project is written; entry: tools/lint."""
