// Ends what stays when the host is killed with no time to end it itself: one small process, a shell, holds the other end of a
// pipe from here. When the pipe breaks, the host is gone, and every group that was told of is killed. Without a shell, there
// is no such process.

import { type ChildProcess, spawn } from 'node:child_process'

/** Has a process group end with the host, whatever becomes of that, until it has gone by itself. */
export function endWithHost(group: number, gone: Promise<unknown>): void {
  tell('+', group)
  void gone.then(() => tell('-', group))
}

let watcher: ChildProcess | undefined

function tell(sign: '+' | '-', group: number): void {
  if (sign === '+') watcher ??= start()
  watcher?.stdin?.write(`${sign} ${group}\n`)
}

// Its own parameters are the list of groups.
const script = `
trap '' HUP INT QUIT TERM PIPE
while read -r sign group; do
  case $sign in
    +) set -- "$@" "$group" ;;
    -) for each do shift; [ "$each" = "$group" ] || set -- "$@" "$each"; done ;;
  esac
done
for each do kill -9 "-$each"; done
`

function start(): ChildProcess | undefined {
  if (process.platform === 'win32') return undefined
  try {
    const child = spawn('/bin/sh', ['-c', script, 'legwork'], {
      cwd: '/',
      env: {},
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    })
    // One that was killed is not started again: what it knew is lost, and a host that goes on ends its own.
    child.on('error', () => {})
    child.stdin.on('error', () => {})
    child.unref()
    unrefStream(child.stdin)
    return child
  } catch {
    return undefined
  }
}

/** The host lives for what it does, not for this. */
function unrefStream(stream: unknown): void {
  if (stream instanceof Object && 'unref' in stream && typeof stream.unref === 'function') stream.unref()
}
