// Every process that is running now, so that all of them can be ended before the host is.

import { startEnding, type Tree } from './ending.ts'

interface Child {
  readonly tree: Tree
  readonly gone: Promise<unknown>
}

const children = new Set<Child>()
let watching = false

/** Counts a tree as running until its process has gone. */
export function register(tree: Tree, gone: Promise<unknown>): void {
  const child = { tree, gone }
  children.add(child)
  gone.then(() => children.delete(child))
  if (watching) return
  watching = true
  // A host that leaves in a hurry takes them along; there is no time to ask.
  process.on('exit', () => {
    for (const { tree } of children) tree.kill()
  })
}

/** Ends every child, and settles when the last has gone. For the host's own SIGINT, SIGTERM and SIGHUP. */
export async function endAllChildren(): Promise<void> {
  await Promise.all(
    Array.from(children, async ({ tree, gone }) => {
      const stop = startEnding(tree)
      await gone
      stop()
    }),
  )
}
