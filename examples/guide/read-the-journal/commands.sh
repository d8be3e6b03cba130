npx legwork call wc '{"files": ["notes.md"], "lines": true}'
npx legwork call wc '{"fils": ["notes.md"]}' || true # what is refused is written down too
npx legwork audit                                    # the newest hundred lines
npx legwork audit --level warning --json             # for programs
npx legwork audit export > journal.jsonl             # everything; prints the head's hash
npx legwork audit verify                             # was anything changed?
