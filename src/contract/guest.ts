// What a contract script sees: its two arguments, made inside the sandbox from JSON. No object of the host is among them.

import { pathPart } from './path.ts'

export const contractSurface = `(host, given, others) => {
  'use strict'
  const { ask, log, functionOf, copy } = host
  const { input, state, meta, config, slots } = given
  const tools = new Map()
  const stepOf = /${pathPart.source}/y
  const read = (value, path) => {
    const rest = path.startsWith('$') ? path.slice(1) : path.startsWith('[') ? path : '.' + path
    for (let at = 0; at < rest.length; at = stepOf.lastIndex) {
      stepOf.lastIndex = at
      const found = stepOf.exec(rest)
      if (!found) throw new TypeError('The path "' + path + '" is broken. Write one such as limits.most or $.limits.most.')
      const name = found[1] ?? found[2] ?? found[3] ?? found[4]
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
      if (Array.isArray(value) && name === 'length') return undefined
      value = value[name]
    }
    return value
  }
  const call = async (id, args = {}) => ask('call', [String(id), args])
  const imports = {}
  for (const alias of Object.keys(given.imports)) imports[alias] = (payload) => call(given.imports[alias], payload)
  const api = {
    call,
    runSlot: (name, slotState = {}, slotVars = {}) => {
      if (!slots) throw new Error('There is no slot to run: the step has no "slots".')
      return (async () => ask('slot', [String(name), slotState, slotVars]))()
    },
    log: (...values) => log('info', values),
    config: (path, otherwise) => {
      const found = path === undefined || path === null ? config : read(config, String(path))
      return found === undefined ? otherwise : copy(found)
    },
    run: async (name, payload = {}) => {
      const tool = tools.get(String(name))
      if (!tool) throw new Error('There is no tool "' + name + '" in "tools".')
      return tool(copy(payload), api)
    },
    imports,
  }
  for (const { name, source } of others) tools.set(name, functionOf(source, 'The tool "' + name + '"'))
  return [{ input, bindings: input, state, meta, imports, api }, api]
}`
