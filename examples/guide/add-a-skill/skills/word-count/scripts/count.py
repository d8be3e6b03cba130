"""Counts the words of a text file."""

import argparse
import json

parser = argparse.ArgumentParser()
parser.add_argument("file", help="the text")
parser.add_argument("--longest", action="store_true", help="also the longest word")
arguments = parser.parse_args()

with open(arguments.file, encoding="utf-8") as text:
    words = text.read().split()
answer = {"words": len(words)}
if arguments.longest:
    answer["longest"] = max(words, key=len, default="")
print(json.dumps(answer))
