import { describe, expect, test, vi } from 'vitest'
import type { ApprovalRequest, Approve } from '../../src/model/decision.ts'
import { askApproval } from '../../src/policy/approval.ts'

const request = {
  callId: 'call-1',
  tool: 'gh:repoDelete',
  description: 'Deletes a repository.',
  input: { name: 'x' },
  argv: ['gh', 'repo', 'delete', 'x'],
  effects: { destructive: true },
  trust: 'vendor',
  rule: 'allowDestructive',
  reasons: ['"gh:repoDelete" is destructive, and "allowDestructive" is false.'],
} as const

const minute = { timeoutMs: 60_000 }

/** A handler as untyped code may write it. */
const untyped = (answer: unknown) => (() => answer) as unknown as Approve

describe('a plain yes is a yes', () => {
  test.each<[string, unknown, object]>([
    ['true', true, { answer: 'approved' }],
    ['a promise of true', Promise.resolve(true), { answer: 'approved' }],
    ['approved', { approved: true }, { answer: 'approved' }],
    ['approved with a reason', { approved: true, reason: 'fine' }, { answer: 'approved', reason: 'fine' }],
    ['approved with an empty reason', { approved: true, reason: '' }, { answer: 'approved' }],
    ['approved with a reason that is no text', { approved: true, reason: 5 }, { answer: 'approved' }],
  ])('%s', async (_name, answer, expected) => {
    expect(await askApproval(untyped(answer), request, minute)).toEqual(expected)
  })
})

describe('everything else is a no that says why', () => {
  class Hidden {
    get approved() {
      return true
    }
  }
  const yes = 'only true or {approved: true} is a yes'
  test.each<[string, unknown, string]>([
    ['false', false, 'A person said no.'],
    ['a promise of false', Promise.resolve(false), 'A person said no.'],
    ['not approved', { approved: false }, 'A person said no.'],
    [
      'not approved, with a reason',
      { approved: false, reason: 'not on a Friday' },
      'A person said no: not on a Friday',
    ],
    ['nothing', undefined, yes],
    ['null', null, yes],
    ['1', 1, yes],
    ['text', 'yes', 'The approval handler answered yes; only true'],
    ['an empty object', {}, 'The approval handler answered {}; only true'],
    ['a list', [true], yes],
    ['approved by a text', { approved: 'true' }, yes],
    ['approved by a number', { approved: 1 }, yes],
    ['approved by inheritance', Object.create({ approved: true }), yes],
    ['approved by a getter of a class', new Hidden(), yes],
    ['a Boolean object', Object(true), yes],
    ['a function', () => true, yes],
    ['a symbol', Symbol('yes'), yes],
    ['a huge object', { text: 'x'.repeat(1_000_000) }, yes],
  ])('%s', async (_name, answer, reason) => {
    const approval = await askApproval(untyped(answer), request, minute)
    expect(approval).toEqual({ answer: 'refused', reason: expect.stringContaining(reason) })
    expect(JSON.stringify(approval).length).toBeLessThan(300)
  })

  test.each<[string, Approve]>([
    [
      'a handler that throws',
      () => {
        throw new Error('no terminal')
      },
    ],
    ['a handler that rejects', () => Promise.reject(new Error('no terminal'))],
    [
      'an answer that throws when it is read',
      () =>
        Object.defineProperty({ approved: true }, 'approved', {
          get: () => {
            throw new Error('no terminal')
          },
        }),
    ],
  ])('%s', async (_name, approve) => {
    expect(await askApproval(approve, request, minute)).toEqual({
      answer: 'refused',
      reason: 'The approval handler failed: no terminal',
    })
  })
})

test('without a handler there is nobody to ask', async () => {
  expect(await askApproval(undefined, request, minute)).toEqual({ answer: 'no-handler' })
})

test('the handler sees the whole request and a signal that has not fired', async () => {
  const approve = vi.fn((seen: ApprovalRequest) => !seen.signal.aborted)
  expect(await askApproval(approve, request, minute)).toEqual({ answer: 'approved' })
  expect(approve).toHaveBeenCalledExactlyOnceWith({ ...request, signal: expect.any(AbortSignal) })
})

describe('no answer in time', () => {
  test('is a no, and the handler hears that its answer is no longer wanted', async () => {
    const signals: AbortSignal[] = []
    const approve: Approve = ({ signal }) => {
      signals.push(signal)
      return new Promise<boolean>(() => {})
    }
    expect(await askApproval(approve, request, { timeoutMs: 5 })).toEqual({
      answer: 'no-answer',
      reason: 'No answer came within 5 ms, which counts as a no.',
    })
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  })

  test.each<[string, (signal: AbortSignal) => Promise<boolean>]>([
    ['a late yes changes nothing', (signal) => new Promise((resolve) => onAbort(signal, () => resolve(true)))],
    [
      'a late failure changes nothing',
      (signal) => new Promise((_, reject) => onAbort(signal, () => reject(Error('x')))),
    ],
  ])('%s', async (_name, late) => {
    const approve: Approve = ({ signal }) => late(signal)
    expect(await askApproval(approve, request, { timeoutMs: 5 })).toMatchObject({ answer: 'no-answer' })
  })

  test('a handler that blocks the process beyond its time has not answered in time', async () => {
    const approve: Approve = () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
      return true
    }
    expect(await askApproval(approve, request, { timeoutMs: 10 })).toMatchObject({ answer: 'no-answer' })
  })
})

describe('a call that is given up', () => {
  test('before it is asked about is never shown', async () => {
    const approve = vi.fn(() => true)
    const options = { ...minute, signal: AbortSignal.abort() }
    expect(await askApproval(approve, request, options)).toEqual({ answer: 'cancelled' })
    expect(approve).not.toHaveBeenCalled()
    expect(await askApproval(undefined, request, options)).toEqual({ answer: 'cancelled' })
  })

  test('while a person thinks is cancelled, and the handler hears of it', async () => {
    const controller = new AbortController()
    const heard = vi.fn()
    const approve: Approve = ({ signal }) => {
      onAbort(signal, heard)
      setImmediate(() => controller.abort())
      return new Promise<boolean>(() => {})
    }
    expect(await askApproval(approve, request, { ...minute, signal: controller.signal })).toEqual({
      answer: 'cancelled',
    })
    expect(heard).toHaveBeenCalledOnce()
  })

  test('at the moment of the yes is cancelled', async () => {
    const controller = new AbortController()
    const approve: Approve = () => {
      controller.abort()
      return true
    }
    expect(await askApproval(approve, request, { ...minute, signal: controller.signal })).toEqual({
      answer: 'cancelled',
    })
  })

  test('after the answer changes nothing, and the handler hears nothing', async () => {
    const controller = new AbortController()
    const heard = vi.fn()
    const approve: Approve = ({ signal }) => {
      onAbort(signal, heard)
      return true
    }
    expect(await askApproval(approve, request, { ...minute, signal: controller.signal })).toEqual({
      answer: 'approved',
    })
    controller.abort()
    expect(heard).not.toHaveBeenCalled()
  })
})

function onAbort(signal: AbortSignal, listener: () => void) {
  signal.addEventListener('abort', () => listener(), { once: true })
}
