// A thread for work: does one piece of work after the other.

import { parentPort, workerData } from 'node:worker_threads'
import { messageOf } from '../base/json.ts'
import type { WorkData, Worked } from './work-threads.ts'

const { module } = workerData as WorkData
const { work } = (await import(module)) as { work: (name: string, text: string) => Promise<string> }

parentPort?.on('message', async ({ name, text }: { name: string; text: string }) => {
  parentPort?.postMessage(await worked(name, text))
})

async function worked(name: string, text: string): Promise<Worked> {
  try {
    return { ok: true, text: await work(name, text) }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'tool-failed'
    return { ok: false, message: messageOf(error), code }
  }
}
