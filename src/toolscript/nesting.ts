// How deep a script nests, told before any parser sees it. Parsers call themselves for what stands inside of something, and one
// that is written in another language ends the whole process when its stack is full. So every token counts as a level until the
// statement or the list item ends that it stands in, and all that are open at once are bounded.
//
// Where it cannot be told what a token is, it is a fault too: whoever could make this reader see a string where the parser sees
// code could hide anything in it.

export interface NestingFault {
  readonly offset: number
  readonly message: string
}

/** What is short cannot nest deep. */
const shortLength = 3_000
const maxBrackets = 500
const maxOpenTokens = 5_000

export function nestingFault(text: string): NestingFault | undefined {
  return text.length <= shortLength ? undefined : new Nesting(text).fault()
}

/**
 * What stands before a token. `start`: a statement may begin. `operator`: a value must follow. `operand`: a value has ended.
 * `brace`: a block has ended, or an object. `control`: the head of an `if` or a loop must follow. `dot`: a name must follow.
 * `unsure` and `doubtful`: a value or a type may have ended, or not; after the second one a head of that kind may follow.
 */
type Before = 'start' | 'operator' | 'operand' | 'brace' | 'control' | 'dot' | 'unsure' | 'doubtful'

interface Level {
  readonly closer: string
  /** What its closer is for the token after it. */
  readonly after: Before
  tokens: number
  /** How many tokens the statement had that ended last: an `else` goes on with it. */
  lastTokens: number
  angles: number
  /** Whether a type may stand in what is open, after which a `?` may end it. */
  hasCast: boolean
}

const closers: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }
const heads = new Set(['if', 'while', 'for', 'with'])
/** They stand before a value or a type; most can be the name of a type as well. */
const prefixes = new Set(
  'await yield typeof void delete new in instanceof of return throw case default else do extends implements keyof readonly unique infer is asserts as satisfies abstract const let var import export function class enum switch try catch finally'.split(
    ' ',
  ),
)
/** They go on with what stands in front of them, on whichever line. */
const joining = new Set('else catch finally while in instanceof of as satisfies extends implements is'.split(' '))
const wordLetter = /[\w$#\\]/
const space = /[\s\u0085\u180e\u200b]/
const lineEnd = /[\n\r\u2028\u2029]/

class Nesting {
  readonly #text: string
  readonly #levels: Level[] = []
  #level: Level = newLevel('', 'operand')
  #open = 0
  #at = 0
  #before: Before = 'start'
  #newLine = false

  constructor(text: string) {
    this.#text = text
  }

  fault(): NestingFault | undefined {
    if (/^\ufeff?#!/.test(this.#text)) this.#skipLine()
    while (this.#at < this.#text.length) {
      const offset = this.#at
      const letter = this.#text.charAt(offset)
      if (space.test(letter)) {
        this.#newLine ||= lineEnd.test(letter)
        this.#at++
        continue
      }
      const message = letter === '/' ? this.#slash() : this.#token(letter)
      if (message === 'mismatch') return undefined
      if (message !== undefined) return { offset, message }
      if (this.#open > maxOpenTokens) return { offset, message: tooLong }
      if (this.#levels.length > maxBrackets) return { offset, message: tooDeep }
    }
    return undefined
  }

  #token(letter: string): string | undefined {
    if (closers[letter] !== undefined) return this.#opening(closers[letter])
    if (letter === ')' || letter === ']' || letter === '}') return this.#closing(letter)
    if (letter === '"' || letter === "'") return this.#value(() => this.#skipString(letter))
    if (letter === '`') {
      this.#at++
      return this.#template()
    }
    if (/^\.?\d/.test(this.#text.slice(this.#at, this.#at + 2))) return this.#value(() => this.#skipNumber())
    if (isWordLetter(letter)) return this.#name()
    return this.#punctuation(letter)
  }

  #opening(closer: string): undefined {
    this.#count()
    const isHead = closer === ')' && (this.#before === 'control' || this.#before === 'doubtful')
    const after = isHead ? (this.#before === 'control' ? 'start' : 'unsure') : 'operand'
    this.#enter(closer, closer === '}' ? 'brace' : after)
    this.#at++
    this.#set(closer === '}' ? 'start' : 'operator')
  }

  /** The parser stops at a bracket that does not fit. */
  #closing(letter: string): string | undefined {
    const { closer, after } = this.#level
    this.#at++
    if (closer === '`' && letter === '}') {
      this.#leave()
      return this.#template()
    }
    if (closer !== letter) return 'mismatch'
    this.#leave()
    this.#set(after)
    return undefined
  }

  /** From behind a backtick, or behind the value that stands inside of it. */
  #template(): undefined {
    this.#count()
    for (; this.#at < this.#text.length; this.#at++) {
      const letter = this.#text.charAt(this.#at)
      if (letter === '\\') this.#at++
      else if (letter === '`') {
        this.#at++
        return this.#set('operand')
      } else if (letter === '$' && this.#text.charAt(this.#at + 1) === '{') {
        this.#at += 2
        this.#enter('`', 'operand')
        return this.#set('operator')
      }
    }
  }

  #value(skip: () => void): undefined {
    this.#endStatement('')
    this.#count()
    skip()
    this.#set('operand')
  }

  #name(): undefined {
    const before = this.#before
    const isStatement = before === 'start' || before === 'brace' || (before === 'operand' && this.#newLine)
    const word = this.#word()
    if (before === 'dot') {
      this.#count()
      return this.#set('operand')
    }
    this.#endStatement(word)
    this.#count()
    if (word === 'else' && before === 'start') this.#goOn()
    if (word === 'as' || word === 'satisfies') this.#level.hasCast = true
    if (before === 'control' && word === 'await') return this.#set('control')
    if (heads.has(word)) return this.#set(isStatement ? 'control' : 'doubtful')
    if (isStatement && (word === 'else' || word === 'do')) return this.#set('start')
    if (isStatement && word === 'return') return this.#set('operator')
    return this.#set(prefixes.has(word) ? 'unsure' : 'operand')
  }

  #punctuation(letter: string): undefined {
    const next = this.#text.charAt(this.#at + 1)
    const ends = this.#before === 'operand' && !this.#newLine
    const kept = this.#before === 'brace' || this.#before === 'unsure' ? 'unsure' : 'operator'
    this.#count()
    this.#at++
    if (letter === ';' || (letter === ',' && this.#level.angles === 0)) this.#reset()
    if (letter === ';') return this.#set('start')
    if (letter === '<') this.#level.angles++
    if (letter === '>') {
      this.#level.angles = Math.max(0, this.#level.angles - 1)
      return this.#set('unsure')
    }
    const pair = letter + next
    if (pair === '=>' || pair === '??' || pair === '++' || pair === '--') this.#at++
    if (pair === '++' || pair === '--' || letter === '!') return this.#set(ends && pair !== '!=' ? 'operand' : kept)
    if (letter === '.' && this.#text.startsWith('..', this.#at)) {
      this.#at += 2
      return this.#set('operator')
    }
    if (letter === '.') return this.#set('dot')
    return this.#set(letter === '?' && next !== '?' && this.#level.hasCast ? 'unsure' : 'operator')
  }

  #slash(): string | undefined {
    const next = this.#text.charAt(this.#at + 1)
    if (next === '/') {
      this.#skipLine()
      return undefined
    }
    const end = next === '*' ? this.#text.indexOf('*/', this.#at + 2) : -1
    if (end >= 0) {
      this.#newLine ||= lineEnd.test(this.#text.slice(this.#at, end))
      this.#at = end + 2
      return undefined
    }
    this.#count()
    if (this.#before === 'operand') {
      this.#at++
      return this.#set('operator')
    }
    if (this.#before !== 'start' && this.#before !== 'operator') return unclear
    this.#skipPattern()
    return this.#set('operand')
  }

  /** Where a value follows a value, another statement has begun. */
  #endStatement(word: string): void {
    const isOver = this.#before === 'brace' || (this.#before === 'operand' && this.#newLine)
    if (isOver && !joining.has(word)) this.#reset()
  }

  #reset(): void {
    this.#open -= this.#level.tokens
    this.#level.lastTokens = this.#level.tokens
    this.#level.tokens = 0
    this.#level.angles = 0
    this.#level.hasCast = false
  }

  #goOn(): void {
    this.#level.tokens += this.#level.lastTokens
    this.#open += this.#level.lastTokens
    this.#level.lastTokens = 0
  }

  #count(): void {
    this.#level.tokens++
    this.#open++
  }

  #enter(closer: string, after: Before): void {
    this.#levels.push(this.#level)
    this.#level = newLevel(closer, after)
  }

  #leave(): void {
    this.#open -= this.#level.tokens
    this.#level = this.#levels.pop() ?? newLevel('', 'operand')
  }

  #set(before: Before): undefined {
    this.#before = before
    this.#newLine = false
  }

  #word(): string {
    const start = this.#at
    while (isWordLetter(this.#text.charAt(this.#at))) {
      const isEscape = this.#text.startsWith('\\u{', this.#at)
      const end = isEscape ? this.#text.indexOf('}', this.#at) : this.#at
      this.#at = (end < 0 ? this.#at : end) + 1
    }
    return this.#text.slice(start, Math.min(this.#at, start + 20))
  }

  #skipNumber(): void {
    const number = /(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?[\d_]+)?/y
    number.lastIndex = this.#at
    this.#at += number.exec(this.#text)?.[0].length ?? 1
    this.#word()
  }

  #skipString(quote: string): void {
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const letter = this.#text.charAt(this.#at)
      if (letter === '\\') this.#at += this.#text.startsWith('\r\n', this.#at + 1) ? 2 : 1
      else if (letter === '\n' || letter === '\r') return
      else if (letter === quote) {
        this.#at++
        return
      }
    }
  }

  #skipPattern(): void {
    let isClass = false
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const letter = this.#text.charAt(this.#at)
      if (lineEnd.test(letter)) return
      if (letter === '\\') this.#at++
      else if (letter === '[') isClass = true
      else if (letter === ']') isClass = false
      else if (letter === '/' && !isClass) {
        this.#at++
        return
      }
    }
  }

  #skipLine(): void {
    while (this.#at < this.#text.length && !lineEnd.test(this.#text.charAt(this.#at))) this.#at++
  }
}

function newLevel(closer: string, after: Before): Level {
  return { closer, after, tokens: 0, lastTokens: 0, angles: 0, hasCast: false }
}

function isWordLetter(letter: string): boolean {
  return wordLetter.test(letter) || (letter > '\u007f' && !space.test(letter))
}

const tooDeep = `The script nests too deep: more than ${maxBrackets} brackets are open here. Put its parts into variables.`
const tooLong = `The script has one expression or statement of more than ${maxOpenTokens} parts. Put its parts into variables.`
const unclear =
  'It is unclear whether this "/" divides or begins a regular expression. Put the expression into brackets.'
