import { encodeFunctionData, getContractAddress, type Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Chain } from '../../../domain/ports/chains.ts'
import { openPrices } from '../../../domain/values/prices.ts'
import { ownArtifact, withArguments } from '../../../sandbox/deploy/artifacts.ts'
import { temporaryDir, testSandbox, treasury, until } from '../../../sandbox/fixtures/testing.ts'
import { callsOnly } from '../fixtures/nodes.ts'
import { openChain } from '../viem-chain.ts'

const asked: string[] = []
let dir: Awaited<ReturnType<typeof temporaryDir>>
let sandbox: Awaited<ReturnType<typeof testSandbox>>
let chain: Chain
/** The block of each round that the test wrote, with its answer. */
const rounds: { block: bigint; answer: bigint }[] = []

/** Mines a transaction of the treasury and returns its block. */
async function mine(more: { to?: Hex; data: Hex }): Promise<bigint> {
  const nonce = await chain.nonce(treasury.address, 'pending')
  const { maxFeePerGas, maxPriorityFeePerGas } = await chain.fees()
  const fees = { maxFeePerGas: maxFeePerGas * 2n, maxPriorityFeePerGas: maxPriorityFeePerGas ?? 0n }
  const fields = { type: 'eip1559', chainId: chain.info.id, nonce, gas: 3_000_000n, ...fees, ...more } as const
  const hash = (await sandbox.request({
    method: 'eth_sendRawTransaction',
    params: [await treasury.signTransaction(fields)],
  })) as Hex
  await until(async () => (await chain.receipt(hash)) !== null, 'the receipt')
  return (await chain.receipt(hash))!.blockNumber
}

beforeAll(async () => {
  dir = await temporaryDir()
  sandbox = await testSandbox(dir.path)
  const { deployment } = sandbox
  const request: typeof sandbox.request = (call) => {
    asked.push(`${call.method} ${JSON.stringify(call.params)}`)
    return sandbox.request(call)
  }
  const open = (feeds: typeof deployment.feeds) =>
    openChain({ deployment: { ...deployment, feeds }, node: callsOnly(request), sandbox: true })
  chain = open(deployment.feeds)
  const { abi, bytecode } = ownArtifact('SandboxFeed')
  const created = [treasury.address, 8, 'ETH / USD', 1_000_00000000n, 0n]
  const data = withArguments(bytecode, 'address, uint8, string, int256, uint256', created)
  const nonce = await chain.nonce(treasury.address, 'pending')
  const to = getContractAddress({ from: treasury.address, nonce: BigInt(nonce) })
  rounds.push({ block: await mine({ data }), answer: 1_000_00000000n })
  for (let count = 1n; count <= 11n; count += 1n) {
    const answer = 1_000_00000000n + count
    const update = encodeFunctionData({ abi, functionName: 'update', args: [answer] })
    rounds.push({ block: await mine({ to, data: update }), answer })
  }
  chain = open(deployment.feeds.map((feed) => (feed.pair === 'ETH/USD' ? { ...feed, address: to } : feed)))
})
afterAll(async () => {
  await sandbox[Symbol.asyncDispose]()
  await dir[Symbol.asyncDispose]()
})

test('the price at a block is that of the round that was in force there', async () => {
  for (const { block, answer } of rounds)
    expect(await chain.price('ETH/USD', block)).toMatchObject({ answer, decimals: 8, heartbeatSeconds: 3_600 })
  const [first] = rounds
  expect(await chain.price('ETH/USD', first!.block - 1n)).toMatchObject({ answer: first!.answer, roundId: 1n })
  expect(await chain.price('ETH/USD')).toMatchObject({ answer: rounds.at(-1)!.answer })
  const usd = openPrices(chain, { at: first!.block })
  expect(await usd(chain.info.wrappedNative, 10n ** 18n)).toBe(1_000n * 10n ** 18n)
})

test('the newest block costs no call beside the price', async () => {
  const { number } = await chain.head()
  asked.length = 0
  // Blocks may come meanwhile.
  await chain.price('ETH/USD', number + 1_000n)
  expect(asked.filter((call) => call.startsWith('eth_getBlockByNumber ["0x'))).toEqual([])
  expect(asked.filter((call) => call.startsWith('eth_call')).length).toBeLessThanOrEqual(1)
})
