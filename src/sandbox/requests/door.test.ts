import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  concat,
  fromRlp,
  type Hex,
  keccak256,
  numberToHex,
  parseSignature,
  serializeTransaction,
  slice,
  toRlp,
} from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chainId, parentAccount, sendAndMine, temporaryDir, testSandbox, treasury, until } from '../fixtures/testing.ts'
import type { Sandbox } from '../world.ts'

const gwei = 10n ** 9n
const stranger = () => privateKeyToAccount(generatePrivateKey())
type Request = Sandbox['request']
const ask = async (request: Request, method: string, ...params: unknown[]) => await request({ method, params })
const sendTo = async (request: Request, raw: Hex) => await ask(request, 'eth_sendRawTransaction', raw)

/** Accounts with ether, one for each case. */
const purses = Array.from({ length: 18 }, stranger)
const taken = () => purses.pop() ?? expect.unreachable('each case needs an account with ether')

const opened = new AsyncDisposableStack()
let sandbox: Awaited<ReturnType<typeof testSandbox>>

beforeAll(async () => {
  const dir = opened.use(await temporaryDir())
  sandbox = opened.use(await testSandbox(dir.path, { parentBlockTimeSeconds: 1 }))
  const first = Number(await ask(sandbox.request, 'eth_getTransactionCount', treasury.address, 'pending'))
  const pay = (to: Hex, index: number) =>
    sendAndMine(sandbox, treasury, { to, value: 10n ** 17n, nonce: first + index, gas: 21_000n })
  await Promise.all(purses.map(({ address }, index) => pay(address, index)))
})
afterAll(() => opened.disposeAsync())

const refusal = async (sent: Promise<unknown>) =>
  await sent.then(
    () => null,
    ({ code, message }) => ({ code, message }),
  )

type Fees = { legacy: bigint } | { listed: bigint } | { cap: bigint; tip: bigint; delegates?: true }
async function signedWith(by: PrivateKeyAccount, fees: Fees, more: object = {}): Promise<Hex> {
  const plain = { chainId, nonce: 0, gas: 100_000n, to: treasury.address, ...more }
  if ('legacy' in fees) return await by.signTransaction({ ...plain, type: 'legacy', gasPrice: fees.legacy })
  if ('listed' in fees)
    return await by.signTransaction({ ...plain, type: 'eip2930', gasPrice: fees.listed, accessList: [] })
  const paid = { maxFeePerGas: fees.cap, maxPriorityFeePerGas: fees.tip }
  if (!fees.delegates) return await by.signTransaction({ ...plain, type: 'eip1559', ...paid })
  const authorizationList = [await by.signAuthorization({ chainId, nonce: 77, address: treasury.address })]
  return await by.signTransaction({ ...plain, type: 'eip7702', ...paid, authorizationList })
}

test.each<[string, Fees, Fees, boolean]>([
  ['both a tenth more', { cap: 10n * gwei, tip: 10n }, { cap: 11n * gwei, tip: 11n }, true],
  ['the cap less than a tenth more', { cap: 10n * gwei, tip: 10n }, { cap: 11n * gwei - 1n, tip: 11n }, false],
  ['the tip less than a tenth more', { cap: 10n * gwei, tip: 100n }, { cap: 20n * gwei, tip: 109n }, false],
  ['the same tip of nothing', { cap: 10n * gwei, tip: 0n }, { cap: 20n * gwei, tip: 0n }, false],
  ['legacy by legacy', { legacy: 10n * gwei }, { legacy: 11n * gwei }, true],
  ['legacy by a bit more', { legacy: 10n * gwei }, { legacy: 11n * gwei - 1n }, false],
  ['legacy by a low tip', { legacy: 10n * gwei }, { cap: 50n * gwei, tip: 10n * gwei }, false],
  ['legacy by a high tip', { legacy: 10n * gwei }, { cap: 11n * gwei, tip: 11n * gwei }, true],
  ['two fees by legacy', { cap: 10n * gwei, tip: 1n }, { legacy: 11n * gwei }, true],
  ['two fees by too little legacy', { cap: 10n * gwei, tip: 1n }, { listed: 11n * gwei - 1n }, false],
  ['a list by a delegation', { listed: 10n * gwei }, { cap: 11n * gwei, tip: 11n * gwei, delegates: true }, true],
  ['a delegation by less', { cap: 10n * gwei, tip: 100n, delegates: true }, { cap: 20n * gwei, tip: 109n }, false],
])('a replacement raises both fees by a tenth: %s', async (_, first, second, replaces) => {
  const account = taken()
  sandbox.sequencer.stop()
  try {
    const before = await sendTo(sandbox.request, await signedWith(account, first))
    const raw = await signedWith(account, second, { value: 1n })
    const answer = await refusal(sendTo(sandbox.request, raw))
    expect(answer).toEqual(
      replaces ? null : { code: -32003, message: expect.stringContaining('replacement transaction underpriced') },
    )
    const shown = async (hash: unknown) => await ask(sandbox.request, 'eth_getTransactionByHash', hash)
    expect(await shown(before)).toEqual(replaces ? null : expect.objectContaining({ blockNumber: null }))
    expect(await shown(keccak256(raw))).toEqual(replaces ? expect.objectContaining({ blockNumber: null }) : null)
  } finally {
    sandbox.sequencer.start()
  }
})

test('both chains refuse what is signed for the other, and the next transaction of its sender is mined', async () => {
  const parts = [
    { request: sandbox.request, own: chainId, other: sandbox.parent.chainId, by: treasury },
    { request: sandbox.parent.request, own: sandbox.parent.chainId, other: chainId, by: parentAccount },
  ]
  for (const { request, own, other, by } of parts) {
    const nonce = Number(await ask(request, 'eth_getTransactionCount', by.address, 'pending'))
    const sign = async (id: number | undefined, type: 'legacy' | 'eip2930' = 'legacy') =>
      await by.signTransaction({
        type,
        chainId: id,
        nonce,
        gas: 21_000n,
        gasPrice: 20n * gwei,
        to: by.address,
      } as never)
    for (const type of ['legacy', 'eip2930'] as const) {
      const foreign = await sign(other, type)
      const message = `invalid chain id for signer: have ${other} want ${own}`
      expect(await refusal(sendTo(request, foreign))).toEqual({ code: -32003, message })
      expect(await ask(request, 'eth_getTransactionByHash', keccak256(foreign))).toBeNull()
    }
    // A presigned transaction names no chain.
    const hash = await sendTo(request, await sign(undefined))
    expect(await ask(request, 'eth_getTransactionByHash', hash)).toMatchObject({ hash })
    await until(async () => (await ask(request, 'eth_getTransactionReceipt', hash)) !== null, 'the presigned one')
  }
})

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

test.each<[string, (valid: Tuple) => Tuple]>([
  [
    'a high s',
    ([id, to, nonce, parity, r, s]) => [id, to, nonce, parity === '0x' ? '0x01' : '0x', r, shortest(order - BigInt(s))],
  ],
  ['a parity of 27', ([id, to, nonce, , r, s]) => [id, to, nonce, '0x1b', r, s]],
  ['another chain', ([, to, ...rest]) => [shortest(2n ** 200n), to, ...rest] as Tuple],
  ['the last nonce', ([id, to, , ...rest]) => [id, to, shortest(2n ** 64n - 1n), ...rest] as Tuple],
  ['no signature', ([id, to, nonce]) => [id, to, nonce, '0x', '0x', '0x']],
])('an authorisation with %s is skipped, and its transaction is mined', async (_, change) => {
  const account = taken()
  const authorization = await account.signAuthorization({ chainId, nonce: 1, address: treasury.address })
  const unsigned = { type: 'eip7702', chainId, nonce: 0, gas: 100_000n, to: treasury.address, maxFeePerGas: gwei }
  const serialized = serializeTransaction({ ...unsigned, authorizationList: [authorization] } as never)
  const items = fromRlp(slice(serialized, 1), 'hex') as (Hex | Tuple[])[]
  const altered = items.map((item, at) => (at === 9 ? (item as Tuple[]).map(change) : item))
  const hash = keccak256(concat(['0x04', toRlp(altered as Hex[])]))
  const { r, s, yParity } = await account.sign({ hash }).then(parseSignature)
  const signature = [yParity === 0 ? '0x' : '0x01', shortest(BigInt(r)), shortest(BigInt(s))]
  const sent = await sendTo(sandbox.request, concat(['0x04', toRlp([...altered, ...signature] as Hex[])]))
  expect(await ask(sandbox.request, 'eth_getTransactionByHash', sent)).toMatchObject({ hash: sent })
  await until(async () => (await ask(sandbox.request, 'eth_getTransactionReceipt', sent)) !== null, 'its block')
  expect(await ask(sandbox.request, 'eth_getCode', account.address, 'latest')).toBe('0x')
})

type Tuple = [Hex, Hex, Hex, Hex, Hex, Hex]
function shortest(value: bigint): Hex {
  const digits = value.toString(16)
  return `0x${digits.length % 2 === 0 ? '' : '0'}${digits}`
}

test('a transaction with the most gas that the door accepts is mined', async () => {
  const account = taken()
  const tooMuch = await signedWith(account, { legacy: gwei }, { gas: 60_000_000n })
  const { message } = (await refusal(sendTo(sandbox.request, tooMuch))) ?? { message: '' }
  const most = BigInt(/limit (\d+)/.exec(message)?.[1] ?? 0)
  expect(60_000_000n - most).toBeLessThan(200_000n)
  const hash = await sendTo(sandbox.request, await signedWith(account, { legacy: gwei }, { gas: most }))
  await until(async () => (await ask(sandbox.request, 'eth_getTransactionReceipt', hash)) !== null, 'its block')
})

test('whoever has seen a payment can spend it at once', async () => {
  const { request } = sandbox
  const seen: Record<string, (to: Hex, hash: unknown) => Promise<boolean>> = {
    balance: async (to) => BigInt(String(await ask(request, 'eth_getBalance', to, 'latest'))) > 0n,
    receipt: async (_, hash) => (await ask(request, 'eth_getTransactionReceipt', hash)) !== null,
    transaction: async (_, hash) => {
      const { blockNumber } = (await ask(request, 'eth_getTransactionByHash', hash)) as { blockNumber: Hex | null }
      return blockNumber !== null
    },
    block: async (_, hash) => {
      const { transactions } = (await ask(request, 'eth_getBlockByNumber', 'latest', false)) as { transactions: Hex[] }
      return transactions.includes(hash as Hex)
    },
    call: async (to) => {
      const simulated = { from: to, to: treasury.address, value: '0x1', gas: '0x5208', gasPrice: numberToHex(gwei) }
      return (await refusal(ask(request, 'eth_call', simulated, 'latest'))) === null
    },
  }
  const first = Number(await ask(request, 'eth_getTransactionCount', treasury.address, 'pending'))
  const spend = async ([name, isSeen]: [string, (typeof seen)[string]], index: number) => {
    const account = stranger()
    const payment = { nonce: first + index, to: account.address, value: 10n ** 16n }
    const hash = await sendTo(request, await signedWith(treasury, { cap: gwei, tip: 1n }, payment))
    const spending = await signedWith(account, { cap: gwei, tip: 1n }, { value: 1n })
    while (!(await isSeen(account.address, hash))) await nextTurn()
    return [name, await refusal(sendTo(request, spending))]
  }
  const asked = Object.entries(seen)
  expect(await Promise.all(asked.map(spend))).toEqual(asked.map(([name]) => [name, null]))
})
