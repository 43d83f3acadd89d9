import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Account, fundedAccount, paidBy } from '../accounts.ts'
import { output } from '../clients/client.ts'
import { type Clients, openClients } from '../clients/clients.ts'
import { dataFolder } from '../data-folder.ts'
import { type Gateway, startGateway } from '../gateway-process.ts'
import { drawn } from '../sized.ts'
import { type CallRecorder, openCallRecorder } from './call-recorder.ts'
import { type GethWorld, gethSettings, startGethWorld } from './geth.ts'
import { noGeth, noGethReason } from './geth-binary.ts'

if (noGeth) console.log(noGethReason)

/** Longer than the gateway works between two round trips. */
const delayMs = 120
/** A busy machine may take longer, and a new block may come in the middle: then the work is done again. */
const mostTries = 4
const blockSeconds = 2

/** How many calls, and how many round trips one after the other, a piece of work may take at the first time in a block. */
const budgets = {
  quote: { calls: 6, rounds: 2 },
  'quote again in the block': { calls: 0, rounds: 0 },
  risk: { calls: 16, rounds: 3 },
  simulate: { calls: 20, rounds: 4 },
  positions: { calls: 3, rounds: 1 },
} as const

/** How the gateway learns of blocks, and how many calls each may cost it; one of them at a time is enough for a short run. */
const ways = drawn(
  [
    ['that reports its blocks', true, 1.5],
    ['that is polled', false, 2],
  ] as const,
  1,
)

describe.skipIf(noGeth).each(ways)('the calls of a node %s', (_, hasSocket, idleBudget) => {
  const opened = new AsyncDisposableStack()
  let geth: GethWorld
  let node: CallRecorder
  let gateway: Gateway
  let clients: Clients
  let account: Account
  beforeAll(async () => {
    geth = opened.use(await startGethWorld({ blockSeconds }))
    node = opened.use(await openCallRecorder(geth.url, delayMs))
    const dir = opened.use(dataFolder()).path
    const socket = hasSocket ? { CHAIN_WS_URL: geth.wsUrl } : {}
    gateway = opened.use(await startGateway(dir, { ...gethSettings(geth, { dir, url: node.url }), ...socket }))
    clients = opened.use(openClients(gateway.urls))
    paidBy(clients, geth.give)
    account = await fundedAccount(clients.rest)
    // What is found out once is known from here on, and the books of the wallet are begun.
    for (const [from, to, amount, side] of [
      ['WETH', 'USDC', '0.01', 'buy'],
      ['USDC', 'WETH', '5', 'sell'],
    ] as const)
      await output(clients.rest.call('trading.execute', account.trade(from, to, amount, side), account.token))
  })
  afterAll(async () => await opened.disposeAsync())

  /** Waits until a new block was read, so that the work is done within one. */
  async function newBlock(): Promise<void> {
    const before = await geth.call('eth_blockNumber')
    while ((await geth.call('eth_blockNumber')) === before) await sleep(10)
    await sleep(hasSocket ? 2 * delayMs : 700)
  }

  /** The calls of a piece of work, without those that read the newest block and its finality for everybody. */
  async function callsOf(work: () => Promise<unknown>) {
    node.forget()
    await work()
    return node.calls().filter(({ method }) => method !== 'eth_getBlockByNumber')
  }

  async function once(name: keyof typeof budgets, work: () => Promise<unknown>, isFirst = true): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      if (isFirst) await newBlock()
      const calls = await callsOf(work)
      const rounds = roundsOf(calls)
      const isWithin = calls.length <= budgets[name].calls && rounds <= budgets[name].rounds
      if (isWithin) return console.log(`${name}: ${calls.length} calls in ${rounds} round trips`)
      if (tries === mostTries) expect({ calls: calls.length, rounds }, listed(calls)).toEqual(budgets[name])
    }
  }

  const ask = async (...[operation, input]: Parameters<Clients['rest']['call']>) =>
    await output(clients.rest.call(operation, input, account.token))

  test('of a quote, a risk check, a simulation and the positions are within their budgets', async () => {
    const swap = account.swap('WETH', 'USDC', '0.01')
    const addresses = ['WETH', 'USDC'].map((symbol) => account.address(symbol))
    await once('quote', () => ask('trading.quote', { input: swap }))
    await once('quote again in the block', () => ask('trading.quote', { input: swap }), false)
    const quote = await ask('trading.quote', { input: swap })
    const checks = ['rug', 'whale_flow', 'price_sanity']
    await once('risk', () => ask('trading.assessRisk', { quote, input: { chain: 'evm', addresses, checks } }))
    await once('simulate', () => ask('trading.execute', { input: { ...swap, simulate_only: true } }))
    await once('positions', () => ask('metrics.positions', {}))
  })

  test('of a trade are at most 30 until it is mined, of which 6 round trips before it is sent', async () => {
    for (let tries = 1; ; tries += 1) {
      await newBlock()
      const trade = account.trade('WETH', 'USDC', '0.01', `try ${tries}`)
      const calls = await callsOf(() => ask('trading.execute', trade))
      const until = calls.findLastIndex(({ method }) => method === 'eth_getTransactionReceipt') + 1
      const sent = calls.findIndex(({ method }) => method === 'eth_sendRawTransaction') + 1
      const found = { calls: until, rounds: roundsOf(calls.slice(0, sent)) }
      if (found.calls <= 30 && found.rounds <= 6)
        return console.log(`trade: ${until} calls until it is mined, sent in round trip ${found.rounds}`)
      if (tries === mostTries) expect(found, listed(calls)).toEqual({ calls: 30, rounds: 6 })
    }
  })

  test(`of an idle chain are at most ${idleBudget} a block, with trades that are not final`, async () => {
    await sleep(2 * blockSeconds * 1_000)
    const first = Number(await geth.call('eth_blockNumber'))
    node.forget()
    await sleep(6 * blockSeconds * 1_000)
    const calls = node.calls()
    const blocks = Number(await geth.call('eth_blockNumber')) - first
    console.log(`idle: ${calls.length / blocks} calls a block`)
    expect(calls.length / blocks, calls.map(({ method }) => method).join('\n')).toBeLessThanOrEqual(idleBudget)
  })
})

type Recorded = ReturnType<CallRecorder['calls']>

function roundsOf(calls: Recorded): number {
  return new Set(calls.map(({ round }) => round)).size
}

function listed(calls: Recorded): string {
  return calls.map(({ method, round }) => `${round} ${method}`).join('\n')
}
