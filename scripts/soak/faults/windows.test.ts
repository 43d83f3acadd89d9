import { expect, test } from 'vitest'
import { createWindows } from './windows.ts'

const gone = (operations: RegExp, aftermathMs = 0) => ({ operations, codes: ['UNAVAILABLE'], aftermathMs })
const seen = (operation: string, since: number, code = 'UNAVAILABLE') => ({ operation, protocol: 'rest', code, since })

async function injected() {
  let at = 0
  const windows = createWindows(() => at)
  const fault = (name: string, from: number, to: number, ...may: ReturnType<typeof gone>[]) => {
    at = from
    return windows.during({ fault: name, may }, async () => {
      at = to
    })
  }
  await fault('first', 10, 20, gone(/^chain\./), gone(/^tools\./, 5))
  await fault('second', 22, 40, gone(/^tools\./))
  return windows
}

test('a fault explains its own codes, on its own operations, until its aftermath is over', async () => {
  const { causeOf } = await injected()
  expect(causeOf(seen('chain.call', 20))).toBe('first')
  expect(causeOf(seen('chain.call', 21))).toBeNull()
  expect(causeOf(seen('tools.listTvl', 25))).toBe('second')
  expect(causeOf(seen('tools.listTvl', 41))).toBeNull()
  expect(causeOf(seen('chain.call', 15, 'INTERNAL'))).toBeNull()
  expect(causeOf(seen('auth.login', 15))).toBeNull()
})
