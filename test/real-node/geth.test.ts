import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addresses } from '../../src/sandbox/deploy/addresses.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { type GethWorld, startGethWorld } from './geth.ts'
import { noGeth, noGethReason } from './geth-binary.ts'

if (noGeth) console.log(noGethReason)

describe.skipIf(noGeth)('go-ethereum as tests use it', () => {
  let geth: GethWorld
  beforeAll(async () => {
    geth = await startGethWorld()
  })
  afterAll(async () => await geth?.[Symbol.asyncDispose]())

  const headOf = async () => Number(await geth.call('eth_blockNumber'))

  test('after kill -9 it is back at the same address with its contracts, and mines on', async () => {
    const before = await headOf()
    await geth.restart()
    // A kill takes the newest blocks, which were not on disk.
    expect(before - (await headOf())).toBeLessThanOrEqual(3)
    expect(await geth.call('eth_getCode', addresses.v3Router, 'latest')).not.toBe('0x')
    await until(async () => (await headOf()) > before, 'another block', 20_000)
    expect(await geth.send({ to: geth.rich, value: 1n })).toMatchObject({ status: '0x1' })
  })

  test('debug_setHead takes blocks back, and others are mined in their place', async () => {
    await until(async () => (await headOf()) > 4, 'a few blocks', 20_000)
    const head = await headOf()
    const { hash } = await geth.call('eth_getBlockByNumber', `0x${head.toString(16)}`, false)
    await geth.call('debug_setHead', `0x${(head - 2).toString(16)}`)
    await until(async () => (await headOf()) > head, 'a longer chain', 30_000)
    expect((await geth.call('eth_getBlockByNumber', `0x${head.toString(16)}`, false)).hash).not.toBe(hash)
  })
})
