// What a program costs without Legwork: started, its output read and thrown away, waited for.

import { spawn } from 'node:child_process'
import { once } from 'node:events'

export async function bareSpawn(): Promise<void> {
  const child = spawn('true', { stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.end()
  child.stdout.resume()
  child.stderr.resume()
  await once(child, 'close')
}
