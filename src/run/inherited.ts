// Descriptors that the host itself was started with and that would pass on to every child: a log, a lock, a socket of whoever
// started the host. Node closes none of them, and a process that is confined must not have them.

import { openSync, readdirSync, readFileSync } from 'node:fs'

type Given = number | 'ignore' | 'pipe'

const closeOnExec = 0o2000000

let inherited: readonly number[] | undefined
let nowhere: number | undefined

/** The descriptors for a child, with /dev/null in the place of each that it would inherit. */
export function coverInherited(given: readonly Given[]): Given[] {
  inherited ??= findInherited()
  const covered = [...given]
  for (const descriptor of inherited) {
    if (descriptor < given.length) continue
    while (covered.length < descriptor) covered.push('ignore')
    nowhere ??= openSync('/dev/null', 'r')
    covered.push(nowhere)
  }
  return covered
}

/** In rising order. What Node opens itself is closed in a child, so looking once is enough. */
function findInherited(): number[] {
  if (process.platform !== 'linux') return []
  const descriptors = readdirSync('/proc/self/fd').map(Number)
  return descriptors.filter((descriptor) => descriptor > 2 && passesOn(descriptor)).sort((a, b) => a - b)
}

function passesOn(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0
  } catch {
    return false
  }
}
