// What a script says of itself: its first docstring or block of comments, as plain text.

import type { Language } from './languages.ts'

const maxLength = 2_000

/** Empty where the script begins without a comment. */
export function descriptionOf(text: string, { comments, type }: Pick<Language, 'comments' | 'type'>): string {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/, 400)
  let at = 0
  for (; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (isPreamble(line, at)) continue
    if (/^#\s*\/\/\/\s*script\s*$/.test(line)) at = endOfInlineMetadata(lines, at)
    else break
  }
  const rest = lines.slice(at)
  const found = comments === 'slashes' ? slashes(rest) : (docstring(rest, type) ?? hashes(rest))
  const described = clean(found)
  return described.length > maxLength ? `${described.slice(0, maxLength - 1)}…` : described
}

/** Lines that may stand before the first comment and say nothing. */
function isPreamble(line: string, at: number): boolean {
  if (line.trim() === '' || (at === 0 && line.startsWith('#!'))) return true
  return /^(#\s*(-\*-|vim?:|coding[:=]|shellcheck\b|pylint:|ruff:|mypy:|type:|frozen_string_literal:)|['"]use strict['"];?\s*$|set\s+[-+]|from __future__ |\/\/ ?@ts-|\/\* ?eslint)/.test(
    line,
  )
}

/** The block that names a Python script's dependencies (PEP 723). */
function endOfInlineMetadata(lines: readonly string[], start: number): number {
  const end = lines.findIndex((line, at) => at > start && /^#\s*\/\/\/\s*$/.test(line))
  return end < 0 ? start : end
}

function docstring(lines: readonly string[], type: Language['type']): readonly string[] | undefined {
  const [first = ''] = lines
  if (type === 'ruby' && /^=begin\b/.test(first)) return until(lines.slice(1), (line) => /^=end\b/.test(line))
  if (type === 'perl' && /^=\w+/.test(first)) return until(lines.slice(1), (line) => /^=cut\b/.test(line))
  if (type !== 'python') return undefined
  const [opening, quote = ''] = /^[rRuU]?("""|'''|"|')/.exec(first) ?? []
  if (opening === undefined) return undefined
  const text = lines.join('\n').slice(opening.length)
  const end = text.indexOf(quote)
  return (end < 0 ? text : text.slice(0, end)).split('\n')
}

function hashes(lines: readonly string[]): readonly string[] {
  return until(lines, (line) => !line.startsWith('#')).map((line) => line.replace(/^#+ ?/, ''))
}

function slashes(lines: readonly string[]): readonly string[] {
  const [first = ''] = lines
  if (!first.startsWith('/*')) {
    return until(lines, (line) => !line.startsWith('//')).map((line) => line.replace(/^\/\/+ ?/, ''))
  }
  const [comment = ''] = lines.join('\n').split('*/', 1)
  return comment.split('\n').map((line) => line.replace(/^\s*\/?\*+ ?/, ''))
}

function until(lines: readonly string[], isEnd: (line: string) => boolean): readonly string[] {
  const end = lines.findIndex(isEnd)
  return end < 0 ? lines : lines.slice(0, end)
}

/** Without the indentation that all lines but the first share, and without lines that only decorate. */
function clean(lines: readonly string[]): string {
  const kept = lines.filter((line) => !/^\s*[#=*~-]{3,}\s*$/.test(line))
  const margins = kept.slice(1).flatMap((line) => (line.trim() ? [/^\s*/.exec(line)?.[0].length ?? 0] : []))
  const margin = margins.length ? Math.min(...margins) : 0
  return kept
    .map((line, at) => (at === 0 ? line.trim() : line.slice(margin).trimEnd()))
    .join('\n')
    .trim()
}
