// Programs run in a box as they are: no check, no policy, so that nothing but the box keeps them in.

import { afterAll, beforeAll } from 'vitest'
import { openRunDoors, type RunDoors } from '../../src/gateway/run-doors.ts'
import type { ProcessReport } from '../../src/model/outcome.ts'
import { type Box, type BoxRequest, startBox } from '../../src/sandbox/deno-box.ts'
import { findDeno } from '../../src/sandbox/deno-find.ts'
import { clientModule } from '../../src/toolscript/client.ts'
import type { RunDoor } from '../../src/toolscript/run-door.ts'

export interface BoxRun {
  /** What the guest said at its end; undefined when it went without a word. */
  readonly said: { readonly how: 'value' | 'error'; readonly body: string } | undefined
  readonly report: Omit<ProcessReport, 'argv'>
}

export interface Boxes {
  readonly start: (more?: Partial<BoxRequest>) => Promise<Box & { readonly door: RunDoor }>
  readonly run: (code: string, more?: Partial<BoxRequest>) => Promise<BoxRun>
  /** What the guest's value is, or its error's name and message. */
  readonly value: (code: string) => Promise<unknown>
}

/** For the tests of one file, which share a listener. */
export function useBoxes(cwd: string): Boxes {
  let doors: RunDoors
  beforeAll(async () => {
    const tools = async () => []
    doors = await openRunDoors({
      tools,
      search: tools,
      onChange: () => () => {},
      runtime: { client: () => clientModule([]), declarations: () => '' },
    })
  })
  afterAll(() => doors?.close())

  const start = async (more: Partial<BoxRequest> = {}) => {
    const deno = findDeno()
    if (!deno.ok) throw new Error(deno.message)
    const door = await doors.makeRunDoor()
    const common = {
      deno: deno.path,
      url: door.url,
      host: door.host,
      cwd,
      memoryMb: 256,
      maxOutputBytes: 65_536,
      stamp: 1,
    }
    const box = await startBox({ ...common, ...more })
    void box.ended.finally(door.close)
    await Promise.race([door.ready, box.ended])
    box.started()
    return { ...box, door }
  }
  const run = async (code: string, more: Partial<BoxRequest> = {}): Promise<BoxRun> => {
    const box = await start(more)
    const ended = Promise.withResolvers<BoxRun['said']>()
    box.door.open({
      call: () => Promise.reject(new Error('There are no tools here.')),
      end: (how, body) => ended.resolve({ how, body }),
    })
    box.run(code, () => {})
    const patience = setTimeout(box.kill, 15_000)
    const said = await Promise.race([ended.promise, box.ended.then(() => undefined)])
    clearTimeout(patience)
    box.kill()
    return { said, report: await box.ended }
  }
  const value = async (code: string) => {
    const { said, report } = await run(code)
    if (!said) return `exit ${report.exitCode}: ${report.stderr}`
    const told = JSON.parse(said.body)
    return said.how === 'value' ? told : `${told.name}: ${told.message}`
  }
  return { start, run, value }
}
