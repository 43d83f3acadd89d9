import { expect, test } from 'vitest'
import { DomainError } from '../core/errors.ts'
import type { Execution } from '../ports/trades.ts'
import { confirmMs, confirmUntil, isOverdue } from './awaited.ts'
import { confirmExecution } from './confirm-execution.ts'

const updatedAt = new Date('2026-01-31T12:00:00Z')
const waiting = { id: 'one', state: 'awaiting_confirmation', updatedAt } as Execution
const after = (ms: number) => new Date(updatedAt.getTime() + ms)

test('a trade waits for ten minutes, and only one that waits is overdue', () => {
  expect(confirmUntil(waiting)).toEqual(after(confirmMs))
  expect([confirmMs - 1, confirmMs].map((ms) => isOverdue(waiting, after(ms)))).toEqual([false, true])
  expect(isOverdue({ ...waiting, state: 'requested' }, after(confirmMs))).toBe(false)
})

test.each([true, false])('where its time is over, approve %s finds nothing and frees its key', async (approve) => {
  const discarded: string[] = []
  const executions = { find: async () => waiting, discard: async (id: string) => void discarded.push(id) }
  const ports = { executions, clock: { now: () => after(confirmMs) } } as never
  const call = {
    principal: { userId: 1 },
    fail: (code: 'NOT_FOUND', message: string) => new DomainError(code, message),
  } as never
  await expect(confirmExecution(ports, { execution_id: 'one', approve, acknowledge: [] }, call)).rejects.toMatchObject({
    code: 'NOT_FOUND',
  })
  expect(discarded).toEqual(['one'])
})
