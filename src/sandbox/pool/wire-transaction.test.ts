import { numberToHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BareChain, buildFolder, openBare } from '../fixtures/bare-chain.ts'
import { chainId, temporaryDir, treasury, user } from '../fixtures/testing.ts'
import { transactionGate } from '../requests/transactions.ts'
import { signed } from './pending-pool.ts'
import { waitingTransaction } from './wire-transaction.ts'

const opened = new AsyncDisposableStack()
let bare: BareChain

beforeAll(async () => {
  const dir = opened.use(await temporaryDir())
  await buildFolder(dir.path)
  bare = opened.use(await openBare(dir.path))
})
afterAll(() => opened.disposeAsync())

const price = 10n ** 9n
const accessList = [{ address: user.address, storageKeys: [`0x${'01'.repeat(32)}`] }]
const kinds = {
  legacy: { type: 'legacy', gasPrice: price },
  presigned: { type: 'legacy', gasPrice: price, chainId: undefined },
  eip2930: { type: 'eip2930', gasPrice: price, accessList },
  eip1559: { type: 'eip1559', maxFeePerGas: price, maxPriorityFeePerGas: 5n, data: '0x1234' },
  'without a tip': { type: 'eip1559', maxFeePerGas: price, accessList },
  'a creation': { type: 'eip1559', maxFeePerGas: price, to: undefined, data: '0x5f5ff3' },
  eip7702: { type: 'eip7702', maxFeePerGas: price, delegates: true },
} as const

test.each(Object.entries(kinds))(
  'a transaction that waits has the form that the engine gives it: %s',
  async (_, kind) => {
    const nonce = Number(await bare.chain.read('eth_getTransactionCount', [treasury.address, 'pending']))
    const authorizationList = [await treasury.signAuthorization({ chainId, nonce: 999, address: user.address })]
    const { delegates, ...more } = { delegates: false, ...kind }
    const raw = await treasury.signTransaction({
      ...{ chainId, nonce, gas: 100_000n, to: user.address, value: 1n, ...more },
      ...(delegates && { authorizationList }),
    } as never)
    const hash = await transactionGate(bare.chain)(raw)
    const waiting = waitingTransaction(signed(raw, treasury.address, nonce))
    const known = (await bare.engine().call('eth_getTransactionByHash', [hash])) as object
    // The engine names the price in a block of now; nodes name the most that a waiting transaction pays.
    expect(waiting).toEqual({ ...known, gasPrice: numberToHex(price) })
    // Where the engine has dropped what was accepted, it is still shown.
    await bare.engine().call('anvil_dropAllTransactions')
    expect(await bare.engine().call('eth_getTransactionByHash', [hash])).toBeNull()
    expect(await bare.chain.read('eth_getTransactionByHash', [hash])).toEqual(waiting)
  },
)
