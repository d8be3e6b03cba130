#!/usr/bin/env node
// Lists the headings of a Markdown file as JSON.
// Usage: outline.mjs <file>

import { readFileSync } from 'node:fs'

const [file] = process.argv.slice(2)
if (file === undefined) {
  console.error('Name a file: outline.mjs <file>')
  process.exit(2)
}

let inCode = false
const headings = readFileSync(file, 'utf8')
  .split('\n')
  .flatMap((text, at) => {
    if (text.startsWith('```')) inCode = !inCode
    const heading = inCode ? null : /^(#{1,6})\s+(.*?)\s*#*$/.exec(text)
    return heading ? [{ level: heading[1].length, title: heading[2], line: at + 1 }] : []
  })
console.log(JSON.stringify(headings))
