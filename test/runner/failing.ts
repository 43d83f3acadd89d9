import { expect, test } from 'vitest'
import { shared } from '../shared.ts'

test('uses what the files of a run share, and fails', async () => {
  expect(await shared('database')).toBe('nothing')
})
