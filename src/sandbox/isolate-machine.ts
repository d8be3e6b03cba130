// One JavaScript engine in WebAssembly, used for many runs: its memory is put back to a clean state after each.
// The state of the binary is its memory and one exported number, its stack pointer (test/sandbox reads the binary and says so).

import { JSException, JSValueHandle, QuickJS } from 'quickjs-wasi'
import { guestSource } from './isolate-guest.ts'

/** `send(kind, ...texts)`, as the guest calls it. */
export type Send = (kind: string, ...texts: string[]) => void

export interface Machine {
  readonly start: (run: MachineRun) => void
  readonly settle: (ask: number, ok: boolean, text: string) => void
  /** Nothing when the source is one expression, else why not. Runs nothing. */
  readonly syntaxFault: (source: string) => SyntaxFault | undefined
  /** Whether the run has been at the limit of its memory. */
  readonly isFull: () => boolean
  /** Puts the memory back. False when it has grown too large to keep: the machine is then of no more use. */
  readonly reset: () => boolean
}

export interface MachineRun {
  readonly source: string
  /** JSON. */
  readonly given: string
  /** JSON. */
  readonly others: string
  readonly seed: number
  readonly memoryBytes: number
}

export interface SyntaxFault {
  readonly message: string
  /** Of the source; one line more than it has where the fault is behind it. */
  readonly line?: number
  readonly column?: number
}

/** QuickJS's own stack, well below the megabyte that the binary has. */
const maxStackBytes = 256 * 1024
const largestKept = 16 << 20
/** Only what the engine is made of: the limit of a run is set when it starts. */
const bootMemoryBytes = 64 << 20
const compileOnly = 32
/** What is put around a source to check it: in the middle of a conditional only one expression can stand. */
const [before, after] = ['void (0 ? ', '\n : 0)']

export interface MachineOptions {
  readonly wasm: WebAssembly.Module
  readonly surface: string
  readonly send: Send
  /** Asked every few thousand steps of the guest. */
  readonly mustStop: () => boolean
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

export async function createMachine({ wasm, surface, send, mustStop, now }: MachineOptions): Promise<Machine> {
  const vm = await QuickJS.create({
    wasm,
    memoryLimit: bootMemoryBytes,
    maxStackSize: maxStackBytes,
    interruptHandler: mustStop,
    timezoneOffset: 0,
    wasi: (memory: WebAssembly.Memory) => ({
      // The library's own would write to the host's stdout and stderr.
      fd_write: () => 8,
      clock_time_get: (_clock: number, _precision: bigint, at: number) => {
        new DataView(memory.buffer).setBigUint64(at, BigInt(Math.round(now() * 1e6)), true)
        return 0
      },
    }),
  })
  const heard = vm.newFunction('send', (...values) => {
    // A callback that throws would copy the host's stack into the guest.
    try {
      const [kind = '', ...texts] = values.map((value) => readText(vm, value))
      send(kind, ...texts)
    } catch {
      send('fail', 'memory', 'InternalError', 'out of memory', '')
    }
    return vm.undefined
  })
  const pair = vm.callFunction(vm.evalCode(guestSource, 'guest'), vm.undefined, heard, vm.newString(`(${surface})`))
  const [startHandle, settleHandle] = [pair.getProp('0'), pair.getProp('1')]
  // Pointers that are made once must be inside the memory that is kept.
  void [vm.undefined, vm.null, vm.true, vm.false, vm.global]
  vm.runGC()
  const clean = vm.snapshot()
  const engine = vm._getExports()

  let limitBytes = bootMemoryBytes

  /** Runs what waits, until nothing does or the run must end. */
  const pump = () => {
    while (engine.qjs_is_job_pending() && !mustStop()) {
      if (engine.qjs_execute_pending_job() < 0) throw new Error('The guest was ended.')
    }
  }
  const call = (handle: JSValueHandle, ...values: readonly JSValueHandle[]) => {
    try {
      vm.callFunction(handle, vm.undefined, ...values)
    } catch (error) {
      // The library keeps a handle of what was thrown until it is let go.
      if (error instanceof JSException) error.dispose()
      throw error
    }
    pump()
  }
  return {
    start: ({ source, given, others, seed, memoryBytes }) => {
      limitBytes = memoryBytes
      engine.qjs_set_memory_limit(memoryBytes)
      call(startHandle, ...[source, given, others].map((text) => newText(vm, text)), vm.newNumber(seed))
    },
    settle: (ask, ok, text) => call(settleHandle, vm.newNumber(ask), ok ? vm.true : vm.false, newText(vm, text)),
    syntaxFault: (source) => {
      try {
        vm.evalCode(before + source + after, 'script', compileOnly)
        return undefined
      } catch (error) {
        return faultOf(error)
      }
    },
    isFull: () => vm._getMemory().buffer.byteLength > 0.98 * limitBytes,
    reset: () => {
      const memory = new Uint8Array(vm._getMemory().buffer)
      if (memory.length > largestKept) return false
      memory.set(clean.memory)
      memory.fill(0, clean.memory.length)
      engine.__stack_pointer.value = clean.stackPointer
      return true
    },
  }
}

/** The library's own way looks at every letter for half characters, of which JSON text has none. */
function newText(vm: QuickJS, text: string): JSValueHandle {
  if (!text.isWellFormed()) return vm.newString(text)
  const engine = vm._getExports()
  const length = Buffer.byteLength(text)
  const at = engine.wasm_malloc(length + 1)
  if (at === 0) throw new Error('No memory is left for a text.')
  Buffer.from(vm._getMemory().buffer, at, length + 1).write(text, 'utf8')
  const handle = new JSValueHandle(vm, engine.qjs_new_string(at, length))
  engine.wasm_free(at)
  return handle
}

function readText(vm: QuickJS, handle: JSValueHandle): string {
  if (!handle.isString) return ''
  const engine = vm._getExports()
  const lengthAt = engine.wasm_malloc(4)
  const at = lengthAt && engine.qjs_get_string_len(handle.ptr, lengthAt)
  if (!lengthAt || !at) throw new Error('No memory is left for a text.')
  const length = new DataView(vm._getMemory().buffer).getUint32(lengthAt, true)
  const text = Buffer.from(vm._getMemory().buffer, at, length).toString('utf8')
  engine.qjs_free_cstring(at)
  engine.wasm_free(lengthAt)
  return text
}

/** What the compiler itself threw: no code of the guest has run. */
function faultOf(error: unknown): SyntaxFault {
  if (!(error instanceof JSException)) return { message: 'it is too large' }
  const { message, stack = '' } = error
  error.dispose()
  const [, line, column] = /script:(\d+):(\d+)/.exec(stack) ?? []
  if (line === undefined) return { message }
  return { message, line: Number(line), column: Number(column) - (line === '1' ? before.length : 0) }
}
