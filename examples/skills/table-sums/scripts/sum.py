#!/usr/bin/env python3
"""Adds up one column of a CSV file and prints the sum as JSON."""

import argparse
import csv
import json
from decimal import Decimal, InvalidOperation
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="The CSV file, with the names of the columns in its first line")
    parser.add_argument("--column", required=True, help="The column to add up")
    arguments = parser.parse_args()

    with arguments.file.open(newline="") as file:
        rows = list(csv.DictReader(file))
    try:
        total = sum((Decimal(row[arguments.column]) for row in rows), Decimal(0))
    except KeyError:
        parser.error(f"there is no column {arguments.column!r}")
    except InvalidOperation:
        parser.error(f"the column {arguments.column!r} holds something that is no number")
    exact = int(total) if total == total.to_integral_value() else float(total)
    print(json.dumps({"column": arguments.column, "sum": exact, "rows": len(rows)}))


if __name__ == "__main__":
    main()
