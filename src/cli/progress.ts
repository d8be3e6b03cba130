// A sign of life for whatever takes longer than a second: one line on stderr, on a terminal alone, gone when the work is done.

import { visibleText } from '../outcome/visible.ts'
import type { Globals } from './program.ts'

const patienceMs = 1_000
const frameMs = 100
const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const

/** How many questions to a person are open: the line would be written over them. */
let asking = 0
/** Wipes the line that is on the terminal now. */
let wipe = () => {}

/** Does the work, and says what it is once it takes long. Nothing is shown for --json or where nobody watches. */
export async function withProgress<T>(what: string, { json }: Globals, work: () => Promise<T>): Promise<T> {
  const { stderr } = process
  if (json || !stderr.isTTY || process.env.TERM === 'dumb') return work()
  const started = performance.now()
  let isShown = false
  wipe = () => {
    if (isShown) stderr.write('\r\u001b[K')
    isShown = false
  }
  const timer = setInterval(() => {
    const tookMs = performance.now() - started
    if (asking > 0 || tookMs < patienceMs) return
    const frame = frames[Math.floor(tookMs / frameMs) % frames.length]
    isShown = true
    stderr.write(`\r${frame} ${oneLine(`${what} … ${Math.floor(tookMs / 1_000)} s`, stderr.columns)}\u001b[K`)
  }, frameMs)
  timer.unref()
  try {
    return await work()
  } finally {
    clearInterval(timer)
    wipe()
  }
}

/** Keeps the line away while a person is asked. */
export async function withoutProgress<T>(work: () => Promise<T>): Promise<T> {
  asking++
  wipe()
  try {
    return await work()
  } finally {
    asking--
  }
}

/** A line that is longer than the terminal would not be wiped whole; some terminals do not say how long it may be. */
function oneLine(text: string, width: number): string {
  return visibleText(text)
    .replace(/\s+/g, ' ')
    .slice(0, (width || 80) - 3)
}
