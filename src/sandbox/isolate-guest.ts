// The guest's side of an isolate, as source text that is run once before the clean memory is kept. It takes what it needs of
// the language before any script can change it; a script that does so harms itself alone.

/** How many questions to the host may be open at once. */
export const maxOpenAsks = 1_000

/** `(send, surfaceSource) => [start, settle]`; `send(kind, ...texts)` is the only function of the host that a guest can reach. */
export const guestSource = `(send, surfaceSource) => {
  'use strict'
  const { parse, stringify } = JSON
  const { isArray } = Array
  const { keys } = Object
  const evaluate = eval
  const NativePromise = Promise, NativeError = Error, NativeMap = Map, text = String
  const waiting = new NativeMap()
  const take = (map, key) => { const found = get(map, key); remove(map, key); return found }
  const call = Function.prototype.call
  const get = call.bind(NativeMap.prototype.get), set = call.bind(NativeMap.prototype.set)
  const remove = call.bind(NativeMap.prototype.delete)
  let asks = 0, open = 0

  // What JSON would leave out without a word is an error while a value crosses, and as ever for the script itself.
  let isCrossing = false
  const NativeSet = Set
  const refusals = new NativeSet(), has = call.bind(NativeSet.prototype.has)
  const { defineProperty, getPrototypeOf } = Reflect
  const guard = (prototype, toJSON) => defineProperty(prototype, 'toJSON', { value: toJSON, configurable: true, writable: true })
  const refuse = (prototype, what) => {
    const { toJSON } = { toJSON() { if (isCrossing) throw new NotJson(typeof this === 'bigint' ? what + text(this) : what); return this } }
    refusals.add(toJSON)
    guard(prototype, toJSON)
  }
  for (const kind of [Map, Set, WeakMap, WeakSet, RegExp]) refuse(kind.prototype, 'a ' + kind.name)
  for (const kind of [ArrayBuffer, DataView, getPrototypeOf(Uint8Array)]) refuse(kind.prototype, 'bytes')
  refuse(Function.prototype, 'a function')
  refuse(BigInt.prototype, 'the BigInt ')
  refuse(NativePromise.prototype, 'a promise that nobody has waited for')
  refuse(getPrototypeOf(function* () {}.prototype), 'a generator')
  refuse(getPrototypeOf(async function* () {}.prototype), 'a generator')
  guard(NativeError.prototype, { toJSON() { return isCrossing ? { name: text(this.name), message: text(this.message) } : this } }.toJSON)
  const strict = (value) => {
    isCrossing = true
    try { return stringify(value) } finally { isCrossing = false }
  }
  class NotJson extends TypeError {}
  const place = (value, path, parents) => {
    if (typeof value === 'bigint' || typeof value === 'function') return path || 'the value itself'
    if (typeof value !== 'object' || value === null || parents.length > 50) return
    if (has(refusals, value.toJSON)) return path || 'the value itself'
    if (parents.includes(value)) return path
    const inner = [...parents, value]
    if (isArray(value)) {
      for (let at = 0; at < value.length; at++) { const found = place(value[at], path + '[' + at + ']', inner); if (found) return found }
      return
    }
    for (const key of keys(value)) { const found = place(value[key], path ? path + '.' + key : key, inner); if (found) return found }
  }
  const toText = (value) => {
    try {
      return strict(value) ?? 'null'
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      const what = error instanceof NotJson ? error.message : /circular/.test(error.message) ? 'a cycle' : undefined
      if (what === undefined) throw error
      let where
      try { where = place(value, '', []) } catch {}
      throw new NotJson('JSON cannot hold ' + what + (where ? ' (at ' + where + ')' : '') + '.')
    }
  }
  const shown = (value) => {
    if (typeof value === 'string') return value
    try { return strict(value) ?? text(value) } catch {}
    try { return text(value) } catch {}
    return 'a value that cannot be shown'
  }
  const logged = (value) => {
    try { return strict(value) ?? stringify(text(value)) } catch { return stringify(shown(value)) }
  }
  const described = (thrown) => {
    try {
      if (thrown instanceof NativeError)
        return { name: text(thrown.name), message: text(thrown.message || thrown.name), stack: text(thrown.stack || '') }
    } catch {}
    return { name: 'Error', message: shown(thrown), stack: '' }
  }
  // Looked at before anything that needs memory itself.
  const isMemory = (thrown) => {
    try { return thrown instanceof InternalError && thrown.message === 'out of memory' } catch { return false }
  }
  const fail = (reason, thrown) => {
    if (isMemory(thrown)) return send('fail', 'memory', 'InternalError', 'out of memory', '')
    const { name, message, stack } = described(thrown)
    send('fail', thrown instanceof NotJson ? 'not-json' : reason, name, message, stack)
  }
  const functionOf = (source, what) => {
    let made
    // What closes the brackets that it was checked in does not fit into these.
    try { made = evaluate('(' + source + '\\n)') } catch (error) { throw error instanceof SyntaxError ? new NoFunction(what + ' is not one JavaScript function: ' + error.message + '.') : error }
    if (typeof made !== 'function') throw new NoFunction(what + ' is ' + (made === null ? 'null' : typeof made === 'object' ? 'an object' : 'a ' + typeof made) + ', not a function. Write a function, such as ({ state }, api) => ({ success: true }).')
    return made
  }
  class NoFunction extends TypeError {}

  const host = {
    ask: (kind, value) => {
      const question = '[' + stringify(kind) + ',' + toText(value) + ']'
      if (open >= ${maxOpenAsks}) throw new RangeError('${maxOpenAsks} calls are open already. Wait for some of them.')
      open++
      const ask = ++asks
      return new NativePromise((resolve, reject) => {
        set(waiting, ask, [resolve, reject])
        send('ask', text(ask), question)
      })
    },
    log: (level, values) => {
      let list = ''
      for (let at = 0; at < values.length; at++) list += (at ? ',' : '') + logged(values[at])
      send('log', '["' + level + '",[' + list + ']]')
    },
    functionOf,
    copy: (value) => parse(toText(value)),
  }
  const settle = (ask, ok, answer) => {
    const [resolve, reject] = take(waiting, ask)
    open--
    const value = parse(answer)
    if (ok) return resolve(value)
    const error = new NativeError(value.message)
    for (const key of keys(value)) if (key !== 'message') error[key] = value[key]
    reject(error)
  }
  const random = (seed) => {
    let state = seed | 0
    return () => {
      state = (state + 0x6d2b79f5) | 0
      let mixed = imul(state ^ (state >>> 15), 1 | state)
      mixed = (mixed + imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
    }
  }
  const { imul } = Math
  const console = {}
  const levels = { log: 'info', info: 'info', debug: 'info', trace: 'info', warn: 'warning', error: 'error' }
  for (const method of keys(levels)) console[method] = (...values) => host.log(levels[method], values)
  globalThis.console = console

  const surface = evaluate(surfaceSource)
  const start = async (source, given, others, seed) => {
    const drawn = random(seed)
    Math.random = { random: () => drawn() }.random
    let action, values
    try {
      action = functionOf(source, 'The source')
      values = surface(host, parse(given), parse(others))
    } catch (error) {
      return fail(error instanceof NoFunction ? 'no-function' : 'thrown', error)
    }
    try {
      const value = await action(...values)
      send('done', toText(value))
    } catch (error) {
      fail('thrown', error)
    }
  }
  return [start, settle]
}`
