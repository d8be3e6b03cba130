// Ctrl-C and its kind: what runs is cancelled, and the command ends with the signal's exit code.

const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 143 } as const
const signals = Object.keys(exitCodes) as (keyof typeof exitCodes)[]

/** `ready` is called once there is something to cancel; before that a signal ends the command at once. */
export async function withSignals(work: (signal: AbortSignal, ready: () => void) => Promise<number>): Promise<number> {
  const controller = new AbortController()
  let signalled: number | undefined
  let loading = true
  const stop = (signal: keyof typeof exitCodes) => {
    signalled ??= exitCodes[signal]
    controller.abort()
    // Nothing runs yet that could be cancelled, and whatever a module does while it loads is not waited for.
    if (loading) process.exit(signalled)
  }
  for (const signal of signals) process.on(signal, stop)
  try {
    const exitCode = await work(controller.signal, () => {
      loading = false
    })
    return signalled ?? exitCode
  } finally {
    for (const signal of signals) process.off(signal, stop)
  }
}
