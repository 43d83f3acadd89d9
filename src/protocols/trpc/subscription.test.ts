import { tracked } from '@trpc/server'
import { expect, test } from 'vitest'
import { plainFrame, subscriptionDialect } from './subscription.ts'

test('an event without an id does not pass for the last one that had one, which is what a client resumes by', () => {
  const { frameOf } = subscriptionDialect(plainFrame, null, () => ({}))
  const frames = [{ n: 1 }, tracked('a:1', { n: 2 }), { n: 3 }].map(frameOf)
  expect(frames).toEqual([
    'data: {"n":1}\n\n',
    'id: a:1\ndata: {"n":2}\n\n',
    'id: \ndata: {"n":3}\n\nevent: restore-id\ndata: \nid: a:1\n\n',
  ])
  expect(subscriptionDialect(plainFrame, 'a:7', () => ({})).frameOf({ n: 8 })).toContain(
    'restore-id\ndata: \nid: a:7\n',
  )
})
