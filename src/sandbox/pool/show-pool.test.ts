import { getAddress, type Hex, parseEther } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { type BareChain, buildFolder, openBare } from '../fixtures/bare-chain.ts'
import { chainId, temporaryDir, treasury, user } from '../fixtures/testing.ts'
import { transactionGate } from '../requests/transactions.ts'
import { signed } from './pending-pool.ts'

const gwei = 10n ** 9n

async function signedBy(by: PrivateKeyAccount, nonce: number, more: object): Promise<Hex> {
  const fees = { type: 'eip1559', maxFeePerGas: 2n * gwei, maxPriorityFeePerGas: 5n } as const
  const fields = { ...fees, chainId, nonce, gas: 21_000n, to: user.address, value: 1n, ...more }
  return await by.signTransaction(fields as never)
}

async function send({ chain }: BareChain, by: PrivateKeyAccount, nonce: number, more: object = {}): Promise<Hex> {
  return await transactionGate(chain)(await signedBy(by, nonce, more))
}

const nonceOf = async ({ chain }: BareChain, account: Hex) =>
  Number(await chain.read('eth_getTransactionCount', [account, 'pending']))

type Shown = Record<'pending' | 'queued', Record<string, Record<string, { hash: Hex }>>>
const contentOf = async ({ chain }: BareChain) => (await chain.read('txpool_content')) as Shown
const statusOf = async ({ chain }: BareChain) => await chain.read('txpool_status')

test('the pool shows what waits, what was replaced, and what waits for an earlier nonce, as go-ethereum does', async () => {
  await using dir = await temporaryDir()
  await buildFolder(dir.path)
  await using bare = await openBare(dir.path)
  const { chain } = bare
  const poor = privateKeyToAccount(generatePrivateKey())
  const first = await nonceOf(bare, treasury.address)
  await send(bare, treasury, first, { to: poor.address, value: parseEther('1') })
  await bare.produceBlock()
  expect(await contentOf(bare)).toEqual({ pending: {}, queued: {} })
  expect(await statusOf(bare)).toEqual({ pending: '0x0', queued: '0x0' })

  const replaced = await send(bare, treasury, first + 1)
  const replacing = await send(bare, treasury, first + 1, { maxFeePerGas: 3n * gwei, maxPriorityFeePerGas: 50n })
  const creation = await send(bare, treasury, first + 2, { to: undefined, data: '0x5f5ff3', gas: 100_000n, value: 0n })
  const legacy = { type: 'legacy', gasPrice: gwei, maxFeePerGas: undefined, maxPriorityFeePerGas: undefined }
  const behindGap = await send(bare, treasury, first + 9, legacy)
  const ofOther = await send(bare, poor, 3)

  const [one, two, ten] = [`${first + 1}`, `${first + 2}`, `${first + 9}`]
  const [account, other] = [treasury.address, poor.address]
  /** The engine names the price in a block of now; go-ethereum the most that a waiting transaction pays. */
  const whole = async (hash: Hex) => {
    const known = (await chain.read('eth_getTransactionByHash', [hash])) as { gasPrice: Hex; maxFeePerGas?: Hex }
    return { ...known, gasPrice: known.maxFeePerGas ?? known.gasPrice }
  }
  const content = await contentOf(bare)
  expect(content).toEqual({
    pending: { [account]: { [one]: await whole(replacing), [two]: await whole(creation) } },
    queued: { [account]: { [ten]: await whole(behindGap) }, [other]: { '3': await whole(ofOther) } },
  })
  expect(JSON.stringify(content)).not.toContain(replaced)
  expect(content.pending[account]?.[one]).toMatchObject({ blockHash: null, from: account.toLowerCase() })
  expect(await statusOf(bare)).toEqual({ pending: '0x2', queued: '0x2' })
  const recipient = getAddress(user.address)
  expect(await chain.read('txpool_inspect')).toEqual({
    pending: {
      [account]: {
        [one]: `${recipient}: 1 wei + 21000 gas × 3000000000 wei`,
        [two]: 'contract creation: 0 wei + 100000 gas × 2000000000 wei',
      },
    },
    queued: {
      [account]: { [ten]: `${recipient}: 1 wei + 21000 gas × 1000000000 wei` },
      [other]: { '3': `${recipient}: 1 wei + 21000 gas × 2000000000 wei` },
    },
  })
  for (const spelled of [account, account.toLowerCase()])
    expect(await chain.read('txpool_contentFrom', [spelled])).toEqual({
      pending: content.pending[account],
      queued: content.queued[account],
    })
  expect(await chain.read('txpool_contentFrom', [user.address])).toEqual({ pending: {}, queued: {} })

  // What the engine has dropped was accepted all the same.
  await bare.engine().call('anvil_dropAllTransactions')
  expect(await contentOf(bare)).toEqual(content)
  for (const nonce of [0, 1, 2]) await send(bare, poor, nonce)
  expect(Object.keys((await contentOf(bare)).pending[other] ?? {})).toEqual(['0', '1', '2', '3'])
  await bare.produceBlock()
  await bare.produceBlock()
  expect(await statusOf(bare)).toEqual({ pending: '0x0', queued: '0x1' })
})

test('the pool is the same after a start, also before the next block', async () => {
  await using dir = await temporaryDir()
  await buildFolder(dir.path)
  const before = await (async () => {
    await using bare = await openBare(dir.path)
    const first = await nonceOf(bare, treasury.address)
    await send(bare, treasury, first)
    await send(bare, treasury, first + 2)
    return await contentOf(bare)
  })()
  await using bare = await openBare(dir.path)
  expect(await statusOf(bare)).toEqual({ pending: '0x1', queued: '0x1' })
  expect(await contentOf(bare)).toEqual(before)
})

test('too many bytes are not shown whole, and each account and the texts still are', async () => {
  await using dir = await temporaryDir()
  await buildFolder(dir.path)
  await using bare = await openBare(dir.path)
  const { chain } = bare
  const rich = privateKeyToAccount(generatePrivateKey())
  await send(bare, treasury, await nonceOf(bare, treasury.address), { to: rich.address, value: parseEther('100') })
  await bare.produceBlock()
  const large = { data: `0x${'00'.repeat(130_000)}`, gas: 1_400_000n }
  const first = await nonceOf(bare, treasury.address)
  await send(bare, treasury, first, large)
  const sendUnchecked = async (by: PrivateKeyAccount, nonce: number) =>
    await chain.submit(signed(await signedBy(by, nonce, large), by.address, nonce))
  for (let count = 1; count < 17; count += 1) await sendUnchecked(treasury, first + count)
  for (let count = 0; count < 17; count += 1) await sendUnchecked(rich, count)
  await expect(chain.read('txpool_content')).rejects.toMatchObject({
    code: -32005,
    message: expect.stringMatching(/^response size: \d+ bytes .* 4194304 .* txpool_contentFrom .* txpool_inspect$/),
  })
  expect(await statusOf(bare)).toEqual({ pending: '0x22', queued: '0x0' })
  const own = (await chain.read('txpool_contentFrom', [rich.address])) as { pending: object }
  expect(Object.keys(own.pending)).toHaveLength(17)
  const texts = (await chain.read('txpool_inspect')) as Shown
  expect(Object.keys(texts.pending)).toHaveLength(2)
})
