// What the client does, as the text that runs in the guest. `base`, `names`, `maxCalls` and `maxConcurrentCalls` stand before it.
// It takes what it needs of the platform when it is loaded, so that a script that changes the platform later does not change it.

export const clientSource = `
const { parse, stringify } = JSON
const { fetch, Proxy, Promise, Map, Set, encodeURIComponent } = globalThis
const { create, defineProperty, freeze } = Object

export class ToolError extends Error {
  constructor({ tool, code, message, issues = [], value }) {
    super(message)
    this.name = 'ToolError'
    this.tool = tool
    this.code = code
    this.issues = issues
    this.value = value
  }
}

let made = 0
let running = 0
const waiting = new Set()

async function call(tool, wire, input = {}, { content, signal, timeoutMs } = {}) {
  const fail = (code, message) => new ToolError({ tool, code, message })
  if (made >= maxCalls) {
    throw fail('too-busy', 'This script has made ' + maxCalls + ' calls, and may make no more. Do the work in several scripts.')
  }
  made++
  const plain = content === undefined && timeoutMs === undefined
  let body
  try {
    body = stringify(plain ? input : { input, content, timeoutMs })
  } catch (error) {
    throw fail('invalid-input', 'The input cannot be written as JSON: ' + error.message)
  }
  if (body === undefined) throw fail('invalid-input', 'The input cannot be written as JSON: it is a ' + typeof input + '.')
  const cancelled = () => fail('cancelled', 'The call was given up.')
  if (signal?.aborted) throw cancelled()
  if (running < maxConcurrentCalls) running++
  else await turn(signal, cancelled)
  let answer
  try {
    const headers = { 'content-type': plain ? 'application/json' : 'application/vnd.legwork.call+json' }
    const request = { method: 'POST', headers, body, redirect: 'error', ...(signal && { signal }) }
    const response = await fetch(base + 'tools/' + encodeURIComponent(wire), request)
    answer = { status: response.status, text: await response.text() }
  } catch {
    throw signal?.aborted ? cancelled() : fail('gateway', 'The gateway cannot be reached.')
  } finally {
    next()
  }
  const outcome = outcomeOf(answer)
  if (answer.status === 200 && outcome?.ok === true) return outcome.value
  if (answer.status === 200 && typeof outcome?.code === 'string') throw new ToolError({ tool, ...outcome, message: withIssues(outcome) })
  const why = typeof outcome?.message === 'string' ? outcome.message : 'no outcome.'
  throw fail('gateway', 'The gateway answered with the status ' + answer.status + ': ' + why)
}

/** What went wrong, with every fault of the input: whoever prints the message alone sees what to do. */
function withIssues({ message, issues = [] }) {
  let all = message
  for (const { path, message: why } of issues) all += ' ' + (path ? path + ': ' + why : why)
  return all
}

function turn(signal, cancelled) {
  return new Promise((resolve, reject) => {
    const go = () => {
      signal?.removeEventListener('abort', giveUp)
      resolve()
    }
    const giveUp = () => {
      waiting.delete(go)
      reject(cancelled())
    }
    waiting.add(go)
    signal?.addEventListener('abort', giveUp, { once: true })
  })
}

/** Whoever waits longest takes the place that has become free. */
function next() {
  for (const go of waiting) {
    waiting.delete(go)
    go()
    return
  }
  running--
}

function outcomeOf({ text }) {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

/** Asked of anything that is awaited, printed or written as JSON. */
const usual = new Set(['then', 'toJSON', 'toString', 'valueOf', 'constructor'])

/** A place in the tree of tools, which says so when there is nothing of a name. */
function place(path, target, inner) {
  for (const [name, value] of inner) defineProperty(target, name, { value, enumerable: true })
  const get = (_, name) => {
    if (inner.has(name)) return inner.get(name)
    if (typeof name === 'symbol' || usual.has(name) || name in target) return target[name]
    const near = nearest(path + '.' + name)
    const hint = near ? ' Did you mean "' + near + '"?' : ''
    throw new ToolError({ tool: path + '.' + name, code: 'unknown-tool', message: 'There is no "' + path + '.' + name + '".' + hint })
  }
  return new Proxy(freeze(target), { get })
}

const caller = (id, wire) => (input, options) => call(id, wire, input, options)

export const tools = place('tools', create(null), new Map(names.map(([name, wire, inner]) => {
  const own = wire === null ? undefined : caller(name, wire)
  if (own && inner.length === 0) return [name, own]
  const members = inner.map(([inside, one]) => [inside, caller(name + ':' + inside, one)])
  return [name, place('tools.' + name, own ?? create(null), new Map(members))]
})))

function nearest(wanted) {
  const fold = (text) => text.slice(6).toLowerCase().replace(/[^a-z0-9]/g, '')
  const paths = names.flatMap(([name, wire, inner]) => [
    ...(wire === null && wanted.indexOf('.', 6) > 0 ? [] : ['tools.' + name]),
    ...inner.map(([inside]) => 'tools.' + name + '.' + inside),
  ])
  const folded = fold(wanted)
  let best
  let bound = Math.max(1, Math.floor(folded.length / 3))
  for (const path of paths) {
    const distance = differences(folded, fold(path), bound)
    if (distance > bound) continue
    best = path
    bound = distance - 1
    if (bound < 0) break
  }
  return best
}

function differences(a, b, bound) {
  if (Math.abs(a.length - b.length) > bound || a.length > 200) return bound + 1
  let last = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      row.push(Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)))
    }
    last = row
  }
  return last[b.length]
}
`
