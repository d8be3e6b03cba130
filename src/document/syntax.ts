// From text to elements. saxes reads the characters; which tag closes which is worked out here, so that one forgotten tag is one
// fault, told where it opens, and not a fault at everything that follows. Linear, however broken the text is.

import { SaxesParser } from 'saxes'
import type { Attributes } from './document.ts'
import { type Finding, maxFaults } from './faults.ts'
import { describeError, duplicateAttributes, loneSurrogates, plainAmpersands, tooLarge } from './syntax-faults.ts'

export interface SyntaxHandler {
  readonly open: (name: string, attributes: Attributes, start: number, contentStart: number) => void
  readonly text: (text: string) => void
  readonly close: (contentEnd: number, end: number) => void
}

/** Beyond these a text is refused, so that nobody can fill the memory with a small file of tiny elements. */
export const maxTextLength = 64 * 1024 * 1024
export const maxElements = 1_000_000

export interface SyntaxRead {
  readonly findings: readonly Finding[]
  /** How many more were found than are listed. */
  readonly dropped: number
}

export function readSyntax(text: string, handler: SyntaxHandler): SyntaxRead {
  if (text.length > maxTextLength) {
    return { findings: [tooLarge(`It has ${text.length} characters, of at most ${maxTextLength}.`)], dropped: 0 }
  }
  const isWellFormed = text.isWellFormed()
  const mended = plainAmpersands(isWellFormed ? text : text.toWellFormed())
  const reader = new Reader(mended.text, handler)
  if (!isWellFormed) reader.add(loneSurrogates(text))
  reader.add(mended.findings)
  reader.read()
  return reader
}

/** Nothing more is worth reading. */
class Enough extends Error {}

/** Tells faults without making an exception of each. */
class Parser extends SaxesParser {
  told: (message: string) => void = () => {}

  override fail(message: string): this {
    this.told(message)
    return this
  }
}

class Reader {
  readonly findings: Finding[] = []
  dropped = 0
  readonly #text: string
  readonly #handler: SyntaxHandler
  readonly #parser = new Parser({ xmlns: false, position: true })
  /** The elements that are open now, and how many there are of each name. */
  readonly #open: { readonly name: string; readonly start: number }[] = []
  readonly #openByName = new Map<string, number>()
  #elements = 0
  #hadRoot = false
  /** Where the last whole thing ended. */
  #tokenEnd = 0
  #lastClosed = -1
  #duplicatesTold = -1
  #outsideTold = false
  /** Whether saxes has lost its way: it then takes for text what is none. */
  #isAstray = false
  #lastError = -2
  #errors = 0

  constructor(text: string, handler: SyntaxHandler) {
    this.#text = text
    this.#handler = handler
  }

  read(): void {
    const parser = this.#parser
    // No more of these than are needed: with a few more, the parser becomes a slow object to V8, and reading takes four times as long.
    parser.on('opentag', ({ name, attributes, isSelfClosing }) => this.#openTag(name, attributes, isSelfClosing))
    parser.on('closetag', () => this.#closeTag())
    parser.on('text', (text) => this.#characters(text))
    parser.on('cdata', (text) => {
      this.#ended()
      this.#characters(text)
    })
    parser.on('doctype', () => this.#doctype())
    parser.told = (message) => this.#error(message)
    try {
      parser.write(this.#text).close()
    } catch (error) {
      if (error instanceof Enough) return
      throw error
    }
    for (const { name, start } of this.#open) this.#unclosed(name, start)
    if (!this.#hadRoot && this.findings.length === 0) {
      this.#find('MISSING_ROOT', 0, 'There is no element.', 'Begin with <document>, <agent> or <diff>.')
    }
  }

  #openTag(name: string, attributes: Attributes, isSelfClosing: boolean): void {
    const { position } = this.#parser
    const start = this.#startOfTag(position)
    if (this.#elements++ === maxElements) {
      this.add([tooLarge(`It has more than ${maxElements} elements.`, start)])
      throw new Enough()
    }
    if (this.#open.length === 0 && this.#hadRoot) {
      this.#find('OUTSIDE_ROOT', start, `<${name}> stands after the end of the root.`, 'Move it inside.')
    }
    this.#hadRoot = true
    this.#handler.open(name, compact(attributes), start, position)
    this.#tokenEnd = position
    if (isSelfClosing) {
      this.#handler.close(position, position)
      this.#lastClosed = position
      return
    }
    this.#open.push({ name, start })
    this.#openByName.set(name, (this.#openByName.get(name) ?? 0) + 1)
  }

  /** No value holds a "<" where a text is well-formed. */
  #startOfTag(end: number): number {
    return this.#text.lastIndexOf('<', end - 1)
  }

  /** Told by saxes once for each element that it takes the tag to close; only the first time is the tag itself. */
  #closeTag(): void {
    const { position } = this.#parser
    if (position === this.#lastClosed) return
    this.#lastClosed = position
    this.#tokenEnd = position
    const start = this.#text.lastIndexOf('</', position - 1)
    const name = this.#text.slice(start + 2, position - 1).trimEnd()
    if (!this.#openByName.get(name)) {
      const message = `</${name}> closes nothing that is open.`
      this.#find('UNMATCHED_CLOSING_TAG', start, message, `Remove it, or put <${name}> where it should begin.`)
      return
    }
    for (;;) {
      const element = this.#open.pop()
      if (!element) return
      this.#openByName.set(element.name, (this.#openByName.get(element.name) ?? 1) - 1)
      const isClosed = element.name === name
      if (!isClosed) this.#unclosed(element.name, element.start)
      this.#handler.close(start, isClosed ? position : start)
      if (isClosed) return
    }
  }

  #characters(text: string): void {
    if (this.#open.length > 0) this.#handler.text(text)
    else if (!this.#outsideTold && !this.#isAstray) this.#outside(text)
  }

  #outside(text: string): void {
    if (!text.replace('\uFEFF', '').trim()) return
    this.#outsideTold = true
    const at = Math.max(0, this.#text.indexOf(text.trim().slice(0, 20), this.#hadRoot ? this.#lastClosed : 0))
    this.#find('OUTSIDE_ROOT', at, 'There is text outside of the root.', 'Move it inside, or remove it.')
  }

  #ended(): void {
    this.#tokenEnd = this.#parser.position
  }

  #doctype(): void {
    const start = this.#text.lastIndexOf('<!DOCTYPE', this.#parser.position)
    this.#find('DOCTYPE_NOT_ALLOWED', start, 'A document has no DOCTYPE, and no entities of its own.', 'Remove it.')
    this.#ended()
  }

  #unclosed(name: string, start: number): void {
    this.#find(
      'UNCLOSED_ELEMENT',
      start,
      `<${name}> is opened here and never closed.`,
      `Write </${name}> where it ends.`,
    )
  }

  #error(message: string): void {
    if (message.startsWith('unmatched closing tag')) {
      this.#isAstray = true
      this.#closeTag()
    } else if (message.startsWith('duplicate attribute')) this.#duplicates()
    else if (!structural.some((known) => message.startsWith(known))) this.#broken(message)
  }

  #broken(message: string): void {
    // What was begun and not ended is no text.
    if (message === 'unexpected end.') this.#isAstray = true
    const finding = describeError(this.#text, message, this.#parser.position, this.#tokenEnd)
    // What is wrong at one letter is often wrong at the next as well.
    const goesOn = this.findings.at(-1)?.message === finding.message && finding.offset - this.#lastError <= 1
    this.#lastError = finding.offset
    if (!goesOn) this.add([finding])
    if (message === 'incorrect syntax.' || ++this.#errors > 2 * maxFaults) throw new Enough()
  }

  #duplicates(): void {
    const { position } = this.#parser
    if (this.#duplicatesTold === position) return
    this.#duplicatesTold = position
    this.add(duplicateAttributes(this.#text, this.#startOfTag(position), position))
  }

  add(findings: readonly Finding[]): void {
    for (const finding of findings) {
      if (this.findings.length < maxFaults) this.findings.push(finding)
      else this.dropped++
    }
  }

  #find(code: Finding['code'], offset: number, message: string, hint: string): void {
    this.add([{ code, offset, message, hint }])
  }
}

/** Nothing is inherited, as with an object that has no prototype; but those are slow to V8, and several times larger. */
class Compact {
  [name: string]: string
}
Object.setPrototypeOf(Compact.prototype, null)
Reflect.deleteProperty(Compact.prototype, 'constructor')

const noAttributes: Attributes = Object.freeze(new Compact())

function compact(attributes: Attributes): Attributes {
  let kept: Compact | undefined
  for (const name in attributes) {
    kept ??= new Compact()
    kept[name] = attributes[name] ?? ''
  }
  return kept ? Object.freeze(kept) : noAttributes
}

/** What saxes says of the structure; that is worked out here instead. */
const structural = [
  'unexpected close tag',
  'unclosed tag',
  'text data outside of root node',
  'documents may contain only one root',
  'document must contain a root element',
  'inappropriately located doctype',
]
