// A yes or no at the terminal, for verbs that change a file. Where there is no terminal, the answer is no.

export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^\s*y(es)?\s*$/i.test(await lines.question(`${question} [y/N] `))
  } finally {
    lines.close()
  }
}
