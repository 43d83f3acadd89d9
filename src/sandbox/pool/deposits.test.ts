import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { depositor } from '../../opstack/l1-attributes.ts'
import { l1Block } from '../../opstack/predeploys.ts'
import { type BareChain, buildFolder, openBare } from '../fixtures/bare-chain.ts'
import { chainId, temporaryDir, treasury } from '../fixtures/testing.ts'
import type { ChainEvent } from '../kit/events.ts'
import type { Deposit } from '../log/records.ts'
import { attributesDeposit } from '../rollup/attributes.ts'
import { createDepositPlacer } from './deposits.ts'
import { createPendingPool, signed } from './pending-pool.ts'

/** Events between the preparation of a block and its production. */
const between: Record<string, (bare: BareChain) => Promise<unknown>> = {
  nothing: async () => {},
  'the death of the engine': async ({ engine }) => await engine().kill(),
  'a snapshot and another engine': async ({ chain }) => {
    await chain.snapshot()
    await chain.replaceEngine()
  },
}

test('a block has its own deposit once and first, whatever happens after its preparation', async () => {
  await using dir = await temporaryDir()
  await buildFolder(dir.path)
  const events: ChainEvent[] = []
  let last = 0
  for (const begins of ['begun', 'opened'] as const) {
    await using bare = await openBare(dir.path, (event) => events.push(event))
    if (begins === 'begun') await bare.produceBlock()
    for (const [what, happen] of Object.entries(between))
      for (const order of ['before', 'after'] as const) {
        const early = order === 'before' ? await bare.send(3) : []
        await happen(bare)
        const sent = [...early, ...(await bare.send(2))]
        await bare.produceBlock()
        const [first, ...others] = await transactionsOf(bare)
        expect([what, first?.to, others.map(({ hash }) => hash)]).toEqual([what, l1Block, sent])
      }
    last = bare.chain.head().number
  }
  await using bare = await openBare(dir.path)
  expect(bare.chain.head().number).toBe(last)
  expect(events.filter(({ type }) => /refused|dropped|failed/.test(type))).toEqual([])
})

test('a block has the deposits of its last plan only, not those of its preparation', async () => {
  await using dir = await temporaryDir()
  await buildFolder(dir.path)
  await using bare = await openBare(dir.path)
  let fee = 0n
  const deposit = () => {
    const { number, hash, timestamp } = bare.chain.head()
    fee += 1n
    return attributesDeposit({ number, hash, timestamp, baseFee: fee }, 0)
  }
  const produce = async (deposits: () => Deposit[]) => {
    const sent = await bare.send(2)
    await bare.chain.produceBlock(({ timestamp }) => ({ timestamp: timestamp + 2, deposits: deposits() }))
    return (await transactionsOf(bare)).map(({ hash }) => hash).filter((hash) => !sent.includes(hash))
  }
  const decided: Deposit[] = []
  const another = () => {
    decided.push(deposit())
    return decided.slice(-1)
  }
  for (let block = 0; block < 3; block += 1) {
    const begun = decided.length
    expect(await produce(another)).toEqual([decided[begun]?.hash])
    expect(decided.length).toBe(begun + 2)
  }
  expect(await produce(() => [])).toEqual([])
  expect(await produce(another)).toEqual([decided.at(-2)?.hash])
  // A block that cannot be planned ahead is planned when it is produced.
  let plans = 0
  const planned = deposit()
  const once = () => {
    plans += 1
    if (plans > 1) throw new Error('not now')
    return [planned]
  }
  const engine = bare.engine()
  expect(await produce(once)).toEqual([planned.hash])
  expect([plans, engine.alive()]).toEqual([2, true])
  expect(await produce(another)).toEqual([decided.at(-2)?.hash])
})

test('pending transactions come after the deposits, and dropped ones are not resubmitted with them', async () => {
  await using dir = await temporaryDir()
  await buildFolder(dir.path)
  await using bare = await openBare(dir.path)
  const engine = bare.engine()
  const pool = createPendingPool()
  const [there, gone] = await Promise.all(
    [1, 2].map(async () => {
      const by = privateKeyToAccount(generatePrivateKey())
      const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n }
      const call = { type: 'eip1559', chainId, nonce: 0, gas: 21_000n, to: treasury.address, ...fees } as const
      return pool.add(signed(await by.signTransaction(call), by.address, 0), 0)
    }),
  )
  await engine.call('eth_sendRawTransaction', [there?.raw])
  const { number, hash, timestamp } = bare.chain.head()
  await createDepositPlacer().place(engine, [attributesDeposit({ number, hash, timestamp, baseFee: 7n }, 0)], pool)
  const { pending } = (await engine.call('txpool_inspect')) as { pending: Record<Hex, object> }
  expect(Object.keys(pending).sort()).toEqual([depositor, there?.from].sort())
  expect(pool.get(gone?.hash ?? '0x')).toBeDefined()
})

async function transactionsOf({ chain }: BareChain): Promise<{ hash: Hex; to: Hex | null }[]> {
  const block = await chain.read('eth_getBlockByNumber', ['latest', true])
  return (block as { transactions: { hash: Hex; to: Hex | null }[] }).transactions
}
