// A journal that is opened when it is first needed, so that looking at tools leaves no file behind.

import type { Journal } from './journal.ts'

export function lazyJournal(path: string, open: () => Journal): Journal {
  let opened: Journal | undefined
  const journal = () => {
    opened ??= open()
    return opened
  }
  return {
    path,
    append: (entries) => journal().append(entries),
    read: (filter) => journal().read(filter),
    interrupted: (filter) => journal().interrupted(filter),
    pages: (size) => journal().pages(size),
    verify: (options) => journal().verify(options),
    head: () => journal().head(),
    prune: (options) => journal().prune(options),
    get approvals() {
      return journal().approvals
    },
    close: () => opened?.close(),
  }
}
