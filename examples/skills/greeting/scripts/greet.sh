#!/usr/bin/env bash
# Greets a person. Reads JSON such as {"name": "Ada"} from standard input.
set -euo pipefail

input=$(cat)
name=$(sed -n 's/.*"name"[[:space:]]*:[[:space:]]*"\([^"\\]*\)".*/\1/p' <<<"$input")
if [[ -z $name ]]; then
  echo 'There is no "name" in the input. Write {"name": "Ada"}.' >&2
  exit 1
fi
echo "Hello, $name."
