import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bitcoinCodec } from '../../adapters/bitcoin/codec.ts'
import { createRegtestChain } from './chain.ts'
import { displayed, hash256, merkleRoot, sha256 } from './transactions.ts'

const start = 1_790_000_000
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const decoded = (bytes: Uint8Array) => bitcoinCodec.decode(hex(bytes), 'regtest')

test('every block commits to the one before, to its transactions and their witnesses, and meets the target', async () => {
  const chain = createRegtestChain({ start, seconds: 30 })
  const tip = await chain.tip(start + 30 * 300)
  expect(tip.height).toBe(300)
  expect(displayed(chain.at(0)?.hash ?? Buffer.alloc(0))).toBe(
    '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
  )
  for (let height = 1; height <= tip.height; height += 1) {
    const block = chain.at(height)!
    expect(block.header.subarray(4, 36)).toEqual(chain.at(height - 1)!.hash)
    expect(hash256(block.header)).toEqual(block.hash)
    expect(BigInt(`0x${displayed(block.hash)}`)).toBeLessThanOrEqual(0x7fffffn << 232n)
    expect(merkleRoot(block.transactions.map(({ id }) => id))).toEqual(block.header.subarray(36, 68))
    const reward = decoded(block.transactions[0]!.bytes)
    expect(reward.inputs).toMatchObject([{ isCoinbase: true }])
    const spent = block.transactions.slice(1)
    const root = merkleRoot([Buffer.alloc(32), ...spent.map(({ witnessId }) => witnessId)])
    const commitment = hex(hash256(Buffer.concat([root, Buffer.alloc(32)])))
    expect(reward.outputs[1]).toMatchObject({ kind: 'op_return', script: `6a24aa21a9ed${commitment}` })
    expect(chain.byHash(displayed(block.hash))).toBe(block)
  }
})

test('transactions spend existing, mature outputs once, with the right witness', async () => {
  const chain = createRegtestChain({ start, seconds: 30 })
  await chain.tip(start + 30 * 1_000)
  const coins = new Map<string, { height: number; value: number; script: string; reward: boolean }>()
  for (let height = 1; height <= 1_000; height += 1) {
    let fees = 0
    for (const { bytes } of chain.at(height)!.transactions.toReversed()) {
      const { txid, inputs, outputs } = decoded(bytes)
      const reward = inputs[0]?.isCoinbase === true
      let spent = 0
      for (const { txid: from, vout, witness } of reward ? [] : inputs) {
        const coin = coins.get(`${from}:${vout}`)!
        if (coin.reward) expect(height - coin.height).toBeGreaterThanOrEqual(100)
        expect(coin.script).toBe(`0020${hex(sha256(Buffer.from(witness[0] ?? '', 'hex')))}`)
        expect(coins.delete(`${from}:${vout}`)).toBe(true)
        spent += coin.value
      }
      const paid = outputs.reduce((sum, { value }) => sum + value, 0)
      if (!reward) fees = spent - paid
      else expect(paid).toBe(Math.floor(5_000_000_000 / 2 ** Math.floor(height / 150)) + fees)
      for (const [index, { value, script }] of outputs.entries())
        coins.set(`${txid}:${index}`, { height, value, script, reward })
    }
    if (height > 100) expect(fees).toBe(1_000)
  }
})

test('chains with the same start are equal, however they were requested', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(9_000), { maxLength: 5 }), async (moments) => {
      const [one, other] = [0, 1].map(() => createRegtestChain({ start, seconds: 30 }))
      await Promise.all(moments.map((moment) => one!.tip(start + moment)))
      expect((await one!.tip(start + 9_000)).hash).toEqual((await other!.tip(start + 9_000)).hash)
    }),
    { numRuns: 5 },
  )
})

test('the event loop gets turns while an old chain is mined', async () => {
  const chain = createRegtestChain({ start, seconds: 30 })
  let isMined = false
  const mining = chain.tip(start + 86_400).then((tip) => {
    isMined = true
    return tip
  })
  let turns = 0
  for (; !isMined; turns += 1) await new Promise((resolve) => setImmediate(resolve))
  expect((await mining).height).toBe(2_880)
  expect(turns).toBeGreaterThan(100)
})

test('a closed chain stops mining', async () => {
  const chain = createRegtestChain({ start, seconds: 30 })
  const mining = chain.tip(start + 30 * 86_400)
  chain.close()
  expect((await mining).height).toBeLessThan(1_000)
})
