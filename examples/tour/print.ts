// How the tour looks on a terminal.

import { styleText } from 'node:util'
import type { ApprovalRequest, Entry, Outcome } from 'legwork'

interface HandledCall {
  readonly call: { readonly name: string }
  readonly outcome: Outcome
}

const width = 78

export function title(name: string, ...lines: readonly string[]): void {
  console.log(`\n${styleText(['bold', 'cyan'], name)}\n${lines.map((line) => styleText('dim', line)).join('\n')}`)
}

export function chapter(name: string): void {
  console.log(`\n${styleText('bold', name)} ${styleText('dim', '─'.repeat(Math.max(0, width - name.length - 1)))}`)
}

export function say(sentence: string): void {
  console.log(styleText('dim', sentence))
}

export async function show(call: Promise<Outcome>): Promise<void> {
  const outcome = await call
  const sign = outcome.ok ? styleText('green', 'ok') : styleText('red', outcome.code)
  console.log(`  ${styleText('bold', outcome.tool)} ${sign} ${styleText('dim', `${outcome.durationMs.toFixed(1)} ms`)}`)
  for (const line of outcome.text.split('\n')) console.log(`    ${line}`)
}

export function showQuestion({ tool, reasons, input }: ApprovalRequest, yes: boolean): void {
  console.log(styleText('yellow', `  ? ${tool} ${JSON.stringify(input)}`))
  for (const reason of reasons) console.log(styleText('yellow', `    ${reason}`))
  console.log(styleText('yellow', `    the person says ${yes ? 'yes' : 'no'}`))
}

export function showReply(provider: string, results: readonly HandledCall[], messages: readonly unknown[]): void {
  const calls = results.map(
    ({ call, outcome }) => `${call.name} ${outcome.ok ? styleText('green', 'ok') : styleText('red', outcome.code)}`,
  )
  console.log(`  ${styleText('bold', provider.padEnd(16))} ${calls.join(', ')}`)
  console.log(styleText('dim', `    ${JSON.stringify(messages).slice(0, 110)}…`))
}

export function showEntries(entries: readonly Entry[]): void {
  for (const { seq, tool, decision, code = 'ok', durationMs = 0 } of entries) {
    const columns = [String(seq).padStart(4), tool.padEnd(17), (decision?.verdict ?? '-').padEnd(6), code.padEnd(14)]
    console.log(`${columns.join(' ')} ${styleText('dim', `${durationMs.toFixed(1)} ms`)}`)
  }
}

export function closing(): void {
  console.log(`\n${styleText('dim', 'Next: npx legwork --help, and the README.')}\n`)
}
