import { expect, test, vi } from 'vitest'
import { onceEach } from './once-each.ts'

test('the function runs once for an object, and each time for another value', () => {
  const make = vi.fn((given: unknown) => [given])
  const made = onceEach(make)
  const event = { type: 'newHeads' }
  expect(made(event)).toBe(made(event))
  expect(made({ ...event })).not.toBe(made(event))
  expect(made('a text')).not.toBe(made('a text'))
  expect(make).toHaveBeenCalledTimes(4)
})

test('a failure is not memoised: the next call runs again', () => {
  const made = onceEach(
    vi
      .fn(() => 1)
      .mockImplementationOnce(() => {
        throw new Error('not yet')
      }),
  )
  const event = {}
  expect(() => made(event)).toThrow('not yet')
  expect(made(event)).toBe(1)
})
