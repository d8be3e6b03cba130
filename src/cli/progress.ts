// A sign of life for whatever is silent for longer than a second: one line on stderr, on a terminal alone, gone before anything else
// is printed and when the work is done.

import { visibleText } from '../outcome/visible.ts'
import type { Globals } from './program.ts'

const patienceMs = 1_000
const frameMs = 100
const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const

/** Says what is done now, and how far it is. Work that does not let timers run keeps the line going by it. */
export type Say = (what: string, note?: string) => void

interface Work {
  what: string
  note: string
  /** Milliseconds since the process began, as are all times here. */
  began: number
}

/** What is under way, the innermost last: that one is shown. */
const works: Work[] = []
/** How many questions to a person are open: the line would be written over them. */
let asking = 0
let isShown = false
let drawnAt = 0
/** Since when nothing was heard: something else was printed then, or the first of these works began. At first, the process itself. */
let silentSince = 0
/** When the last work ended; one that follows at once goes on with it. */
let idleSince: number | undefined
/** Whether what was printed last ended its line. The line never goes behind or over one that is not ended. */
let isLineEnded = true
/** Writes to the terminal past what watches it. */
let draw: ((text: string) => void) | undefined

/** Does the work, and says what it is once that takes long. Nothing is shown for --json or where nobody watches. */
export async function withProgress<T>(what: string, { json }: Globals, work: (say: Say) => Promise<T>): Promise<T> {
  if (json || !process.stderr.isTTY || process.env.TERM === 'dumb') return work(() => {})
  draw ??= watchTerminal()
  const current = { what, note: '', began: performance.now() }
  if (works.length === 0 && idleSince !== undefined && current.began - idleSince > frameMs) silentSince = current.began
  works.push(current)
  turn()
  const timer = setInterval(turn, frameMs)
  timer.unref()
  try {
    return await work((now, note = '') => {
      Object.assign(current, { what: now, note, ...(now !== current.what && { began: performance.now() }) })
      turn()
    })
  } finally {
    clearInterval(timer)
    works.splice(works.indexOf(current), 1)
    idleSince = performance.now()
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
    silentSince = performance.now()
  }
}

function turn(): void {
  const now = performance.now()
  const work = works.at(-1)
  if (!work || asking > 0 || !isLineEnded || now - silentSince < patienceMs || now - drawnAt < frameMs / 2) return
  const seconds = Math.floor((now - work.began) / 1_000)
  const told = [work.what, '…', seconds > 0 ? `${seconds} s` : '', work.note].filter(Boolean).join(' ')
  const frame = frames[Math.floor(now / frameMs) % frames.length]
  isShown = true
  drawnAt = now
  draw?.(
    `\r${cutToWidth(`${frame} ${visibleText(told).replace(/\s+/g, ' ')}`, (process.stderr.columns || 80) - 1)}\u001b[K`,
  )
}

function wipe(): void {
  if (isShown) draw?.('\r\u001b[K')
  isShown = false
  drawnAt = 0
}

/** From now on the line is wiped before anybody else writes to the terminal, whichever way they take. */
function watchTerminal(): (text: string) => void {
  const { stdout, stderr } = process
  const write = stderr.write.bind(stderr)
  for (const stream of stdout.isTTY ? [stdout, stderr] : [stderr]) {
    stream.write = new Proxy(stream.write, {
      apply: (target, self, given: Parameters<typeof stream.write>) => {
        const last = given[0].length > 0 ? given[0].at(-1) : undefined
        if (last !== undefined) {
          wipe()
          silentSince = performance.now()
          isLineEnded = last === '\n' || last === 10
        }
        return Reflect.apply(target, self, given)
      },
    })
  }
  process.on('exit', wipe)
  return write
}

/** As much of a line as surely fits: a line that goes on in the next could not be taken back. */
function cutToWidth(line: string, columns: number): string {
  let width = 0
  let end = 0
  for (const letter of line) {
    width += wide.test(letter) ? 2 : 1
    if (width > columns) break
    end += letter.length
  }
  return line.slice(0, end)
}

/** Letters that take two columns: East Asian ones and pictures. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f000}-\u{3ffff}]|\p{Extended_Pictographic}/u
