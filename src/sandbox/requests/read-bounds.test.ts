import { expect, test } from 'vitest'
import { temporaryDir, testSandbox, user } from '../fixtures/testing.ts'
import type { Sandbox } from '../world.ts'

/** Loops without end. */
const endless = '0x5b5f56'
/** Returns the gas that it has. */
const gasLeft = '0x5a5f5260205ff3'
/** Reads one storage slot after another, each of which a fork must fetch. */
const busy = '0x5b5a54505f56'

/** Calls code at an account's address. */
const caller =
  ({ request }: Pick<Sandbox, 'request'>) =>
  (code: string, more: object = {}) =>
    request({ method: 'eth_call', params: [{ to: user.address, ...more }, 'latest', { [user.address]: { code } }] })

test('a read gets no more gas than the bounds allow', async () => {
  await using dir = await temporaryDir()
  await using sandbox = await testSandbox(dir.path, { reads: { gas: 40_000_000, seconds: 60 } })
  const call = caller(sandbox)
  for (const gas of [{}, { gas: '0x3938700' }]) {
    const left = Number(await call(gasLeft, gas))
    expect(left).toBeLessThan(40_000_000)
    expect(left).toBeGreaterThan(39_900_000)
  }
  await expect(call(endless)).rejects.toThrow(/OutOfGas/)
})

test('a read gets no more time than the bounds allow', async () => {
  await using dir = await temporaryDir()
  // So short that no machine finishes the read before.
  await using sandbox = await testSandbox(dir.path, { reads: { gas: 60_000_000, seconds: 0.1 } })
  await expect(caller(sandbox)(busy)).rejects.toMatchObject({
    code: -32002,
    message: 'the run takes longer than 0.1 s: request less gas, or a smaller trace',
  })
})
