// A host that calls for ever, to be killed: each call starts a program that starts another in a session of its own.

import { createLegwork } from 'legwork'

const [folder = '', mark = ''] = process.argv.slice(2)
const legwork = await createLegwork({
  workspace: folder,
  programs: { sh: { metadata: './sh.json', confine: 'processes' } },
  journal: { path: './legwork.db' },
})
const call = () => legwork.call({ tool: 'sh', input: { file: 'tree.sh', mark } })
legwork.on((event) => {
  if (event.type === 'output') process.stdout.write(`${event.callId}\n`)
})
await Promise.all(
  Array.from({ length: 4 }, async () => {
    for (;;) await call()
  }),
)
