// A tool runs in this process, and may throw when nobody waits any more, end the process, or print. The command still answers.

import { Console } from 'node:console'
import { messageOf } from '../base/json.ts'
import { visibleText } from '../outcome/visible.ts'

/** Until the returned function is called, an end that nobody expected is told, with exit code 1. An end by a signal is expected. */
export function answerAnyway(json: boolean): () => void {
  // With --json, stdout holds one JSON value and nothing else, whatever a tool prints by the usual way.
  if (json) globalThis.console = new Console({ stdout: process.stderr, stderr: process.stderr })
  const tell = (message: string) => {
    const text = visibleText(message)
    if (json) process.stdout.write(`${JSON.stringify({ ok: false, code: 'tool-failed', message: text })}\n`)
    else process.stderr.write(`${text}\n`)
  }
  const broken = (error: unknown) => {
    answered()
    tell(`A tool or a module broke the command off: ${messageOf(error)}`)
    process.exit(1)
  }
  const ended = (code: number) => {
    if (code === 130 || code === 143) return
    tell(
      'The command ended before it could answer: a tool or a module ended the process, or waits for what never comes.',
    )
    process.exitCode = 1
  }
  const answered = () => {
    process.off('uncaughtException', broken)
    process.off('unhandledRejection', broken)
    process.off('exit', ended)
  }
  process.on('uncaughtException', broken)
  process.on('unhandledRejection', broken)
  process.on('exit', ended)
  return answered
}
