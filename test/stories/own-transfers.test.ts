import { Wallet } from '@ethereumjs/wallet'
import { encodeFunctionData, erc20Abi, type Hex, http, parseEther, parseUnits } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { getL2TransactionHashes } from 'viem/op-stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { messagePasser } from '../../src/opstack/predeploys.ts'
import { multicall3 } from '../../src/sandbox/deploy/addresses.ts'
import { opStackClientsOver } from '../../src/sandbox/fixtures/op-stack.ts'
import { parentAccount } from '../../src/sandbox/fixtures/testing.ts'
import { parentAddresses, parentChainId } from '../../src/sandbox/rollup/parameters.ts'
import { output } from '../clients/client.ts'
import { drawn, isLong } from '../sized.ts'
import { type Account, fundedAccount, openWorld, password, type World } from '../world.ts'

type Position = {
  token_symbol: string
  agent: string
  wallet_address: string
  quantity: number
  quantity_decimal: string
  cost_basis_usd_per_unit: number
}

let world: World
let ada: Account
let keys: { usual: PrivateKeyAccount; savings: PrivateKeyAccount; bob: PrivateKeyAccount }

beforeAll(async () => {
  world = await openWorld({}, undefined, { blockTimeSeconds: 1, parentBlockTimeSeconds: 1 })
  ada = await fundedAccount(world.clients.rest)
  const bob = await fundedAccount(world.clients.rest)
  await call('trading.createWallet', { wallet_ref: 'savings' })
  const trial = { input: { ...ada.swap('WETH', 'USDC', '0.001') }, wallet_ref: 'savings' }
  expect((await call('trading.execute', trial)).status, 'it has its starting money').toBe('simulated')
  keys = {
    usual: await exported(ada, 'default'),
    savings: await exported(ada, 'savings'),
    bob: await exported(bob, 'default'),
  }
  // The cost of what these buy differs from the price of the feed, by fee and impact.
  await trade('USDC', 'WETH', '4000', 'momentum')
  await trade('USDC', 'WBTC', '1500', 'trading_team')
  await trade('WETH', 'ETH', '1.1', 'momentum')
})
afterAll(async () => await world[Symbol.asyncDispose]())

const call = async (id: Parameters<typeof world.clients.rest.call>[0], input: object, token = ada.token) =>
  await output(world.clients.rest.call(id, input, token))

async function trade(from: string, to: string, amount: string, agent: string): Promise<void> {
  const made = ada.trade(from, to, amount, crypto.randomUUID(), { agent })
  const { status, message } = await call('trading.execute', made)
  expect(status, message).toBe('success')
}

/** The key of a wallet, as its owner takes it out. */
async function exported(owner: Account, wallet_ref: string): Promise<PrivateKeyAccount> {
  const keystore = await call(
    'trading.exportWallet',
    { wallet_ref, keystore_password: 'of the file', account_password: password },
    owner.token,
  )
  const wallet = await Wallet.fromV3(keystore, 'of the file')
  return privateKeyToAccount(`0x${Buffer.from(wallet.getPrivateKey()).toString('hex')}`)
}

const over = (account: PrivateKeyAccount) => {
  const transports = { rollup: http(world.urls.rpc), parent: http(world.urls.l1) }
  return opStackClientsOver(
    transports,
    { chainId: parentChainId, addresses: { ...parentAddresses, multicall3 } },
    account,
  )
}

/** Sends without the gateway's knowledge, and returns the fee in US dollars. */
async function send(account: PrivateKeyAccount, request: { to: Hex; value?: bigint; data?: Hex }): Promise<number> {
  const { rollup, rollupWallet } = over(account)
  const hash = await rollupWallet.sendTransaction(request)
  const receipt = await rollup.waitForTransactionReceipt({ hash })
  expect(receipt.status).toBe('success')
  const { price } = await call('tools.oraclePrice', { chain: 'sandbox', pair: 'ETH/USD' })
  const l1Fee = (receipt as { l1Fee?: bigint | null }).l1Fee ?? 0n
  return (Number(receipt.gasUsed * receipt.effectiveGasPrice + l1Fee) / 1e18) * Number(price)
}

const decimals: Record<string, number> = { USDC: 6, WBTC: 8 }
const units = (symbol: string, amount: string) => parseUnits(amount, decimals[symbol] ?? 18)

const transferOf = (symbol: string, to: Hex, amount: string) => ({
  to: ada.address(symbol) as Hex,
  data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, units(symbol, amount)] }),
})

async function books() {
  const positions: Position[] = await call('metrics.positions', {})
  const { realized_pnl_usd } = await call('metrics.realizedPnl', {})
  const { unrealized_pnl_usd } = await call('metrics.unrealizedPnl', {})
  const { tvl_usd } = await call('metrics.tvl', {})
  const costOf = (key: PrivateKeyAccount | null, symbol: string, agent?: string) =>
    positions
      .filter((one) => key === null || one.wallet_address.toLowerCase() === key.address.toLowerCase())
      .filter((one) => one.token_symbol === symbol && (agent ?? one.agent) === one.agent)
      .reduce((sum, one) => sum + one.quantity * one.cost_basis_usd_per_unit, 0)
  const cost = positions.reduce((sum, one) => sum + one.quantity * one.cost_basis_usd_per_unit, 0)
  return {
    positions,
    profit: realized_pnl_usd + unrealized_pnl_usd,
    realized: realized_pnl_usd,
    worth: tvl_usd,
    cost,
    costOf,
  }
}

const transfers = [
  ['WETH', '0.7', 'usual', 'savings'],
  ['WETH', '1.2', 'savings', 'usual'],
  ['WBTC', '0.004', 'usual', 'savings'],
  ['USDC', '120.5', 'usual', 'savings'],
  ['ETH', '0.9', 'usual', 'savings'],
  ['ETH', '0.15', 'savings', 'usual'],
] as const

test.each(drawn(transfers, 3))(
  '%s %s from %s to %s is no profit, and its gas is a loss',
  async (symbol, amount, from, to) => {
    const before = await books()
    const receiver = keys[to].address
    const request =
      symbol === 'ETH' ? { to: receiver, value: parseEther(amount) } : transferOf(symbol, receiver, amount)
    const fee = await send(keys[from], request)
    const after = await books()
    expect(after.profit).toBeCloseTo(before.profit - fee, 8)
    expect(after.worth).toBeCloseTo(before.worth - fee, 8)
    expect(after.realized).toBeLessThan(before.realized)
    expect(after.realized).toBeGreaterThan(before.realized - 2 * fee)
    const [closed] = (await call('metrics.listClosedTrades', { limit: 1 })).items
    expect(closed).toMatchObject({ kind: 'gas', wallet_address: keys[from].address, tx_hash: expect.any(String) })
  },
)

test('what is moved keeps its agent', async () => {
  const held = async (key: PrivateKeyAccount) =>
    (await books()).positions.find(
      (one) =>
        one.agent === 'momentum' &&
        one.token_symbol === 'WETH' &&
        one.wallet_address.toLowerCase() === key.address.toLowerCase(),
    )
  const all = (await books()).positions
    .filter(
      (one) => one.token_symbol === 'WETH' && one.wallet_address.toLowerCase() === keys.usual.address.toLowerCase(),
    )
    .reduce((sum, one) => sum + units('WETH', one.quantity_decimal), 0n)
  const before = await held(keys.usual)
  expect(before).toBeDefined()
  await send(keys.usual, {
    to: ada.address('WETH') as Hex,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [keys.savings.address, all] }),
  })
  expect(await held(keys.usual)).toBeUndefined()
  const moved = await held(keys.savings)
  expect(moved!.quantity).toBeGreaterThanOrEqual(before!.quantity)
})

const approved = [
  ['USDC', '33'],
  ['WBTC', '0.0021'],
] as const

test.each(drawn(approved, 1))(
  '%s %s that somebody else moves by an approval is paired by the event',
  async (symbol, amount) => {
    const token = ada.address(symbol) as Hex
    const approve = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'approve',
      args: [keys.bob.address, units(symbol, amount)],
    })
    await send(keys.usual, { to: token, data: approve })
    const before = await books()
    const args = [keys.usual.address, keys.savings.address, units(symbol, amount)] as const
    await send(keys.bob, { to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args }) })
    const after = await books()
    expect(after.profit).toBeCloseTo(before.profit, 8)
    expect(after.cost).toBeCloseTo(before.cost, 8)
  },
)

test('what a trade sells that its wallet just received was not a deposit', async () => {
  const before = await books()
  const all = await output(world.clients.rest.call('metrics.positions', { token_symbol: 'WBTC' }, ada.token))
  const [held] = all.filter((one: Position) => one.wallet_address.toLowerCase() === keys.usual.address.toLowerCase())
  await send(keys.usual, transferOf('WBTC', keys.savings.address, held.quantity_decimal))
  // Nobody reads the books before it is sold.
  const made = ada.trade('WBTC', 'USDC', held.quantity_decimal, crypto.randomUUID())
  const { status, message, amount_out } = await call('trading.execute', { ...made, wallet_ref: 'savings' })
  expect(status, message).toBe('success')
  const [closed] = (await call('metrics.listClosedTrades', { limit: 1 })).items
  expect(closed.entry_price_usd).toBeCloseTo(before.costOf(null, 'WBTC') / totalOf(before, 'WBTC'), 4)
  const after = await books()
  const [price, gas] = [Number((await call('tools.oraclePrice', { chain: 'sandbox', pair: 'BTC/USD' })).price), 1]
  const lost = held.quantity * price - Number(amount_out)
  expect(after.profit).toBeGreaterThan(before.profit - lost - gas)
  expect(after.profit).toBeLessThan(before.profit - lost)
})

const totalOf = ({ positions }: { positions: Position[] }, symbol: string) =>
  positions.reduce((sum, one) => (one.token_symbol === symbol ? sum + one.quantity : sum), 0)

test('equal amounts are not paired without a transfer between them', async () => {
  const before = await books()
  await send(keys.usual, { to: keys.bob.address, value: parseEther('0.05') })
  await send(keys.bob, { to: keys.savings.address, value: parseEther('0.05') })
  const after = await books()
  const { price } = await call('tools.oraclePrice', { chain: 'sandbox', pair: 'ETH/USD' })
  const entered = after.costOf(keys.savings, 'ETH') - before.costOf(keys.savings, 'ETH')
  expect(entered).toBeCloseTo(0.05 * Number(price), 6)
})

test.runIf(isLong)('what goes over the bridge and comes back keeps its cost and its agent', async () => {
  const before = await books()
  const { price } = await call('tools.oraclePrice', { chain: 'sandbox', pair: 'ETH/USD' })
  const gone = await send(keys.usual, { to: messagePasser, value: parseEther('0.4') })
  const away = await books()
  expect(away.worth).toBeCloseTo(before.worth - 0.4 * Number(price) - gone, 6)
  const cost = before.cost - away.cost + (away.realized - before.realized)
  await depositFrom(keys.usual, '0.3')
  expect((await books()).cost).toBeCloseTo(away.cost + cost * 0.75, 6)
  await depositFrom(keys.usual, '0.1')
  const back = await books()
  expect(back.cost).toBeCloseTo(away.cost + cost, 6)
  expect(back.profit).toBeCloseTo(before.profit - gone, 6)
  // More than was away has its price.
  await depositFrom(keys.usual, '0.2')
  const more = await books()
  expect(more.cost).toBeCloseTo(back.cost + 0.2 * Number(price), 6)
  expect(more.profit).toBeCloseTo(back.profit, 6)
})

/** Deposits from the parent chain with the key of a wallet, which gets the amount there first. */
async function depositFrom(account: PrivateKeyAccount, ether: string): Promise<void> {
  const { parent, parentWallet: bank } = over(parentAccount)
  const value = parseEther(ether)
  const given = await bank.sendTransaction({ to: account.address, value: value + parseEther('0.05') })
  await parent.waitForTransactionReceipt({ hash: given })
  const { rollup, parentWallet } = over(account)
  const request = await rollup.buildDepositTransaction({ account, mint: value, to: account.address })
  const receipt = await parent.waitForTransactionReceipt({ hash: await parentWallet.depositTransaction(request) })
  const [hash = '0x'] = getL2TransactionHashes(receipt)
  expect(await rollup.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
}
