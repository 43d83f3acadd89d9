import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { addresses } from '../../src/sandbox/deploy/addresses.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { type Client, output } from '../clients/client.ts'
import { restClient } from '../clients/rest.ts'
import { rpc } from '../clients/rpc-call.ts'
import { type Account, fundedAccount } from '../world.ts'
import { createSender, unavailable } from './sender.ts'
import { untilDecided } from './until-decided.ts'

/** The requests that ran against the gateway during a fault. */
export type Load = {
  /** Hashes of acknowledged transactions. */
  acknowledged: Hex[]
  /** Transaction hashes of trades that were reported as successful. */
  trades: Hex[]
  /** How many responses were UNAVAILABLE, and how many calls had no response. */
  refused: number
  unanswered: number
  reads: number
  /** Forbidden responses: other refusals, and a head that goes back. */
  odd: string[]
  /** Ends it once all open requests have their responses. */
  stop(): Promise<void>
}

type LoadOptions = {
  rpc: string
  http?: string
  sender: PrivateKeyAccount
  to: Hex
  chainId: number
  data?: Hex
  value?: bigint
}

/** Sends transactions one after another, reads, and trades where `http` is given, until it is stopped. */
export function startLoad(options: LoadOptions): Load {
  let running = true
  const sender = createSender(untilAnswered, options.sender, options.chainId)
  const { acknowledged } = sender
  const load: Load = { acknowledged, trades: [], refused: 0, unanswered: 0, reads: 0, odd: [], stop }
  const working = [sendOn(), readOn(), readOn(), ...(options.http === undefined ? [] : [tradeOn(options.http)])]

  async function stop(): Promise<void> {
    running = false
    await Promise.all(working)
  }

  /** The result of a call; null where it must be repeated. */
  async function call(method: string, ...params: unknown[]) {
    try {
      const { result, error } = await rpc(options.rpc, method, ...params)
      if (error === undefined) return result
      if (error.code === unavailable) load.refused += 1
      else load.odd.push(`${method}: ${error.code} ${error.message}`)
    } catch {
      load.unanswered += 1
    }
    await sleep(25)
    return null
  }

  async function untilAnswered(method: string, ...params: unknown[]) {
    for (let result = null; running; ) {
      result = await call(method, ...params)
      if (result !== null) return result
    }
    return null
  }

  async function sendOn(): Promise<void> {
    const { to, data, value = 1n } = options
    while (running) {
      await sender.send({ to, value, ...(data !== undefined && { data }) }).catch((error) => load.odd.push(`${error}`))
      await sleep(40)
    }
  }

  async function readOn(): Promise<void> {
    let newest = 0
    while (running) {
      const number = await call('eth_blockNumber')
      if (number !== null && Number(number) < newest)
        load.odd.push(`the head went from ${newest} back to ${Number(number)}`)
      if (number !== null) newest = Number(number)
      await call('eth_getBalance', privateKeyToAccount(generatePrivateKey()).address, 'latest')
      await call('eth_getLogs', { fromBlock: `0x${Math.max(0, newest - 3).toString(16)}` })
      await call('eth_call', { to: addresses.weth, data: '0x18160ddd' }, 'latest')
      load.reads += 4
      await sleep(20)
    }
  }

  async function tradeOn(http: string): Promise<void> {
    const client = restClient(http)
    const account = await traderOf(client)
    for (let count = 0; running && account !== null; count += 1) {
      const [from, to, amount] = count % 2 === 0 ? ['WETH', 'USDC', '0.01'] : ['USDC', 'WETH', '5']
      const order = account.trade(from ?? '', to ?? '', amount ?? '', `trade-${count}`)
      const send = async () => {
        const response = await client.call('trading.execute', order, account.token).catch(() => null)
        if (response?.ok) return response.output as { status: string; tx_hash: Hex }
        if (response === null) load.unanswered += 1
        else if (response.code === 'UNAVAILABLE') load.refused += 1
        else load.odd.push(`trade: ${response.code} ${response.message}`)
        return null
      }
      const trade = await untilDecided(send, { pauseMs: 100, wanted: () => running })
      if (trade?.status === 'success') load.trades.push(trade.tx_hash)
      else if (trade !== null) load.odd.push(`trade ${JSON.stringify(trade)}`)
    }
  }

  /** Null where the load is stopped first. Calls of an account without funds may be interrupted too. */
  async function traderOf(client: Client): Promise<Account | null> {
    while (running) {
      try {
        return await fundedAccount(client)
      } catch {
        load.unanswered += 1
        await sleep(100)
      }
    }
    return null
  }

  return load
}

/** How many transactions that were acknowledged, or returned as successful trades, are in no block after 20 seconds. */
export async function countLost(url: string, loads: readonly Load[]): Promise<number> {
  const hashes = loads.flatMap(({ acknowledged, trades }) => [...acknowledged, ...trades])
  const lost = async () => {
    const replies = await Promise.all(hashes.map((hash) => rpc(url, 'eth_getTransactionReceipt', hash)))
    return replies.filter(({ result }) => result?.status !== '0x1').length
  }
  await until(async () => (await lost()) === 0, 'every acknowledged transaction', 20_000).catch(() => undefined)
  return await lost()
}

/** An account with funds from the faucet. */
export async function newSender(http: string): Promise<PrivateKeyAccount> {
  const account = privateKeyToAccount(generatePrivateKey())
  const client = restClient(http)
  const { claimId } = await output(client.call('chain.claimFaucet', { address: account.address }))
  let status = 'pending'
  while (status === 'pending' || status === 'queued') {
    await sleep(200)
    status = (await output(client.call('chain.faucetClaim', { tx_hash: claimId }))).status
  }
  return account
}
