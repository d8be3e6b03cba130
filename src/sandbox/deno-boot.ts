// The module that Deno is started with. The user's text is never Deno's entry file, because what an entry file names in its
// imports is read without asking for permission. This one waits for the program on standard input, loads it from a `blob:`
// address, where every such import is denied, and sends the value to the gateway, so that standard output is the script's alone.
//
// It keeps what it needs of the globals before the script can change them. What it sends is the guest's word: the host takes it
// for the script's value or error and for nothing else.

/** The largest value that a script may return, as JSON. */
export const maxValueBytes = 8 * 1_048_576
/** How a guest ends that could not tell its end to the gateway. */
export const unreachableExitCode = 76
const maxErrorLength = 100_000
const maxDepth = 256

export const bootModule = `
const { Blob, Error, Promise, addEventListener, setImmediate } = globalThis
const { fetch: realFetch, JSON: { stringify }, Object: { keys, getPrototypeOf, prototype: plain } } = globalThis
const { isArray } = Array, { isView } = ArrayBuffer, { isFinite } = Number
const { exit } = Deno, read = Deno.stdin.read.bind(Deno.stdin)
const createObjectURL = URL.createObjectURL.bind(URL)
const url = Deno.env.get("TOOLSCRIPT_GATEWAY_URL")
const turn = () => new Promise((done) => setImmediate(done))

// What the client keeps as its fetch, so that calls under way can be waited for; it asks for the status and the text alone.
let inFlight = 0, quiet = () => {}
globalThis.fetch = async (...request) => {
  inFlight++
  try {
    const answer = await realFetch(...request)
    const text = await answer.text()
    return { status: answer.status, text: async () => text }
  } finally {
    if (--inFlight === 0) quiet()
  }
}
globalThis.Worker = function Worker() {
  throw new Error("A toolscript has no workers. Do the work in the script itself.")
}

const post = async (path, body) => {
  const headers = body === undefined ? {} : { "content-type": "application/json" }
  const answer = await realFetch(url + path, { method: "POST", body, headers })
  await answer.text()
  if (!answer.ok) throw new Error("The gateway answered " + answer.status + ".")
}
let ended = false
async function end(how, body) {
  if (ended) return
  ended = true
  const told = await post("/end/" + how, body).then(() => true, () => false)
  exit(told ? (how === "value" ? 0 : 1) : ${unreachableExitCode})
}
const fail = (thrown, where) => end("error", described(thrown, where))

function described(thrown, where) {
  const cut = (text) => ("" + text).slice(0, ${maxErrorLength})
  try {
    if (thrown instanceof Error) {
      const { name, message, stack, tool, code } = thrown
      const said = (value) => (typeof value === "string" ? cut(value) : undefined)
      return stringify({ where, name: cut(name), message: cut(message), stack: said(stack), tool: said(tool), code: said(code) })
    }
    const text = typeof thrown === "string" ? thrown : typeof thrown === "object" ? stringify(thrown) : "" + String(thrown)
    return stringify({ where, thrown: cut(text) })
  } catch {
    return stringify({ where, thrown: "something that cannot be shown" })
  }
}

addEventListener("unhandledrejection", (event) => { event.preventDefault(); fail(event.reason, "rejection") })
addEventListener("error", (event) => { event.preventDefault(); fail(event.error ?? event.message, "error") })

class Unholdable extends Error {}
const refuse = (path, what) => { throw new Unholdable("JSON cannot hold " + what + " (at " + (path || "the value itself") + ").") }

function copy(given, key, path, parents) {
  let value = given
  if (typeof value === "object" && value !== null) {
    if (typeof value.toJSON === "function") value = value.toJSON(key)
    else if (value instanceof Error) value = { name: "" + value.name, message: "" + value.message }
  }
  switch (typeof value) {
    case "number": return isFinite(value) ? value : null
    case "bigint": return refuse(path, "the BigInt " + value)
    case "function": case "symbol": return refuse(path, "a " + typeof value)
    case "object": return value === null ? null : fields(value, path, parents)
    default: return value
  }
}
function fields(value, path, parents) {
  if (parents.includes(value)) refuse(path, "a cycle")
  if (parents.length >= ${maxDepth}) refuse(path, "more than ${maxDepth} levels")
  const inside = [...parents, value]
  if (isArray(value)) return Array.from(value, (item, at) => copy(item, "" + at, path + "[" + at + "]", inside) ?? null)
  if (isView(value) || value instanceof ArrayBuffer) refuse(path, "bytes")
  const names = keys(value), prototype = getPrototypeOf(value)
  if (prototype !== null && prototype !== plain && names.length === 0) {
    const name = value.constructor?.name
    if (name && name !== "Object") refuse(path, "a " + name)
  }
  const object = {}
  for (const name of names) {
    const field = copy(value[name], name, path ? path + "." + name : name, inside)
    if (field === undefined) continue
    if (name === "__proto__") Object.defineProperty(object, name, { value: field, enumerable: true })
    else object[name] = field
  }
  return object
}

await import("toolscript")
globalThis.fetch = realFetch
await import(createObjectURL(new Blob([""], { type: "text/javascript" })))
await post("/ready")

const chunks = [], buffer = new Uint8Array(65536)
for (let length; (length = await read(buffer)) !== null; ) chunks.push(buffer.slice(0, length))
const program = createObjectURL(new Blob(chunks, { type: "text/javascript" }))
try {
  const value = await (await import(program)).default
  await turn()
  while (inFlight > 0) {
    await new Promise((done) => { quiet = done })
    await turn()
  }
  const text = stringify(copy(value, "", "", []) ?? null)
  if (text.length > ${maxValueBytes}) throw new Unholdable("The value has " + text.length + " characters as JSON; a script may return ${maxValueBytes}. Return less.")
  await end("value", text)
} catch (thrown) {
  await fail(thrown, thrown instanceof Unholdable ? "value" : "thrown")
}
`
