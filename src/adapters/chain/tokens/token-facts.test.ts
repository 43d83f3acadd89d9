import { concat, type Hex, keccak256, pad, size, toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Chain } from '../../../domain/ports/chains.ts'
import { sendAndMine, temporaryDir, testSandbox, treasury, until } from '../../../sandbox/fixtures/testing.ts'
import { engineUnavailable } from '../../../sandbox/kit/rpc-error.ts'
import { callsOnly } from '../fixtures/nodes.ts'
import { openChain } from '../viem-chain.ts'

const pauper: Hex = '0x1111111111111111111111111111111111111111'

let dir: Awaited<ReturnType<typeof temporaryDir>>
let sandbox: Awaited<ReturnType<typeof testSandbox>>
let chain: Chain

beforeAll(async () => {
  dir = await temporaryDir()
  sandbox = await testSandbox(dir.path)
  chain = openChain({ deployment: sandbox.deployment, node: callsOnly(sandbox.request), sandbox: true })
})
afterAll(async () => {
  await sandbox[Symbol.asyncDispose]()
  await dir[Symbol.asyncDispose]()
})

const token = (symbol: string): Hex => sandbox.deployment.tokens.find((known) => known.symbol === symbol)!.address

describe('the powers of a proxy are those of the code that it runs', () => {
  /** A contract with this code, and one word of storage where it is given. */
  async function deployed(code: Hex, stored?: { slot: Hex; value: Hex }): Promise<Hex> {
    const store: Hex = stored === undefined ? '0x' : concat(['0x73', stored.value, '0x7f', stored.slot, '0x55'])
    const length = toHex(size(code), { size: 1 })
    const copied = toHex(size(store) + 12, { size: 1 })
    const init = concat(['0x60', length, '0x60', copied, '0x6000', '0x39', '0x60', length, '0x6000', '0xf3'])
    const receipt = await sendAndMine(sandbox, treasury, { data: concat([store, init, code]) })
    return receipt.contractAddress as Hex
  }
  const lessOne = (text: string) => pad(toHex(BigInt(keccak256(toHex(text))) - 1n), { size: 32 })
  const rugs = { traps: ['set_taxes', 'switch_selling'], issuer: expect.arrayContaining(['mint', 'blacklist']) }

  test.each([
    ['EIP-1967', lessOne('eip1967.proxy.implementation')],
    ['its forerunner', keccak256(toHex('org.zeppelinos.proxy.implementation'))],
    ['EIP-1822', keccak256(toHex('PROXIABLE'))],
  ])('by %s', async (_name, slot) => {
    const implementation = token('RUG')
    const { powers } = await chain.readToken(await deployed('0x00', { slot, value: implementation }))
    expect(powers).toMatchObject({ ...rugs, upgradeable: true, implementation: implementation.toLowerCase() })
    expect(powers.issuer).toContain('upgrade')
  })

  test('by a beacon', async () => {
    const beacon = await deployed(concat(['0x73', token('RUG'), '0x60005260206000f3']))
    const { powers } = await chain.readToken(
      await deployed('0x00', { slot: lessOne('eip1967.proxy.beacon'), value: beacon }),
    )
    expect(powers).toMatchObject({ ...rugs, upgradeable: true, implementation: token('RUG') })
  })

  test('by shared code, which nobody can replace', async () => {
    const clone = concat(['0x363d3d373d3d3d363d73', token('RUG'), '0x5af43d82803e903d91602b57fd5bf3'])
    const { powers } = await chain.readToken(await deployed(clone))
    expect(powers).toMatchObject({ ...rugs, upgradeable: false, implementation: token('RUG').toLowerCase() })
  })
})

describe('what is read of a token', () => {
  /** The chain behind a node that refuses some calls with an error. */
  const refusing = (refused: (call: { method: string; params?: unknown }) => boolean) =>
    openChain({
      deployment: sandbox.deployment,
      node: callsOnly(async (call) => {
        if (refused(call)) throw Object.assign(new Error('not supported here'), { code: -32_602 })
        return await sandbox.request(call)
      }),
      sandbox: true,
    })

  test('is its trade in each venue, the powers of its owner, and whose the pools are', async () => {
    const facts = await chain.readToken(token('USDC'))
    expect(facts.trials.map(({ venue, buy, move, sell }) => [venue, buy.ok, move.ok, sell.ok])).toEqual([
      ['uniswap_v2', true, true, true],
      ['uniswap_v3', true, true, true],
    ])
    expect(facts.powers).toMatchObject({ issuer: ['mint'], owner: sandbox.treasury, ownerMintsNow: true })
    expect(facts.pools[0]).toMatchObject({ venue: 'uniswap_v2', burnedBps: 0, ownerBps: 9_999 })
    expect((await chain.readToken(token('BADTAX'))).pools).toMatchObject([{ burnedBps: 10_000, ownerBps: 0 }])
    expect(await chain.readToken(pauper)).toMatchObject({ code: false, trials: [], pools: [] })
  })

  test('is tried by accounts that no token can know in advance', async () => {
    const calls: { from: Hex; to: Hex }[] = []
    const watched = refusing(({ method, params }) => {
      const [call, , overrides] = params as [{ from: Hex; to: Hex; data: Hex }, unknown, object?]
      if (method === 'eth_call' && overrides !== undefined && Object.keys(overrides).includes(call.to)) calls.push(call)
      return false
    })
    const { block } = await watched.readToken(token('RUG'))
    await until(async () => (await chain.head()).number > block.number, 'another block')
    await watched.readToken(token('RUG'))
    expect(calls).toHaveLength(2)
    expect(new Set(calls.flatMap(({ from, to }) => [from, to])).size).toBe(4)
  })

  test('has no trials where the node does not run calls with state overrides', async () => {
    const bare = refusing(({ method, params }) => method === 'eth_call' && (params as unknown[])[2] !== undefined)
    const facts = await bare.readToken(token('USDC'))
    expect(facts.trials).toEqual([])
    expect(facts.pools.length).toBeGreaterThan(0)
  })

  test('is not taken for one that cannot be tried where the node falls silent', async () => {
    let silent = true
    const shaken = openChain({
      deployment: sandbox.deployment,
      node: callsOnly(async (call) => {
        const overridden = call.method === 'eth_call' && (call.params as unknown[])[2] !== undefined
        if (!overridden || !silent) return await sandbox.request(call)
        silent = false
        throw engineUnavailable()
      }),
      sandbox: true,
    })
    await expect(shaken.readToken(token('WETH'))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect((await shaken.readToken(token('WETH'))).trials).toHaveLength(2)
  })

  test('covers fewer blocks where the node refuses many, and none where it refuses all', async () => {
    const span = (params: unknown) => {
      const [{ fromBlock, toBlock }] = params as [{ fromBlock: Hex; toBlock: Hex }]
      return BigInt(toBlock) - BigInt(fromBlock) + 1n
    }
    await until(
      async () => (await chain.head()).number >= BigInt(sandbox.deployment.first_traded_block!) + 15n,
      'more blocks than the shortest look back',
    )
    const short = refusing(({ method, params }) => method === 'eth_getLogs' && span(params) > 15n)
    const flow = await short.readFlow(token('USDC'))
    expect(flow.block.number - flow.fromBlock).toBe(14n)
    expect(flow.moves).not.toBeNull()
    const tenBlocks = refusing(({ method, params }) => method === 'eth_getLogs' && span(params) > 10n)
    expect((await tenBlocks.readFlow(token('USDC'))).moves).not.toBeNull()
    const mute = refusing(({ method }) => method === 'eth_getLogs')
    expect((await mute.readFlow(token('USDC'))).moves).toBeNull()
  })
})
