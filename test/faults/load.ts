import { setTimeout as sleep } from 'node:timers/promises'
import { type Hex, keccak256 } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { addresses } from '../../src/sandbox/deploy/addresses.ts'
import { type Client, output } from '../clients/client.ts'
import { restClient } from '../clients/rest.ts'
import { rpc } from '../clients/rpc-call.ts'
import { type Account, fundedAccount } from '../world.ts'

/** What ran against the gateway while it was broken. */
export type Load = {
  /** Hashes of transactions whose sending was answered with their hash. */
  acknowledged: Hex[]
  /** Hashes of trades that were answered as done. */
  trades: Hex[]
  /** How many answers said to come again, and how often nobody answered. */
  refused: number
  unanswered: number
  reads: number
  /** Answers that nobody should get: other refusals, and a chain that goes back. */
  odd: string[]
  /** Ends it once everything under way is answered. */
  stop(): Promise<void>
}

const unavailable = -32002

export type LoadOptions = {
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
  const load: Load = { acknowledged: [], trades: [], refused: 0, unanswered: 0, reads: 0, odd: [], stop }
  let running = true
  const working = [sendOn(), readOn(), readOn(), ...(options.http === undefined ? [] : [tradeOn(options.http)])]

  async function stop(): Promise<void> {
    running = false
    await Promise.all(working)
  }

  /** The result of a call; null where it has to be asked again. */
  async function ask(method: string, ...params: unknown[]) {
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

  async function sendOn(): Promise<void> {
    const { sender, chainId, to, data, value = 1n } = options
    let nonce: number | null = null
    while (running) {
      if (nonce === null) {
        const found = await ask('eth_getTransactionCount', sender.address, 'pending')
        nonce = found === null ? null : Number(found)
        continue
      }
      const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n }
      const call = { to, value, gas: 300_000n, nonce, chainId, ...(data === undefined ? {} : { data }) }
      const raw = await sender.signTransaction({ type: 'eip1559', ...call, ...fees })
      // Sent again until it is answered: a repetition is a success like the first one.
      while (running) {
        const hash = await ask('eth_sendRawTransaction', raw)
        if (hash === null) continue
        if (hash !== keccak256(raw)) load.odd.push(`acknowledged as ${hash}`)
        load.acknowledged.push(hash)
        nonce += 1
        break
      }
      await sleep(40)
    }
  }

  async function readOn(): Promise<void> {
    let newest = 0
    while (running) {
      const number = await ask('eth_blockNumber')
      if (number !== null && Number(number) < newest)
        load.odd.push(`the head went from ${newest} back to ${Number(number)}`)
      if (number !== null) newest = Number(number)
      await ask('eth_getBalance', privateKeyToAccount(generatePrivateKey()).address, 'latest')
      await ask('eth_getLogs', { fromBlock: `0x${Math.max(0, newest - 3).toString(16)}` })
      await ask('eth_call', { to: addresses.weth, data: '0x18160ddd' }, 'latest')
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
      for (let done = false; running && !done; ) {
        const answer = await client.call('trading.execute', order, account.token).catch(() => null)
        if (answer === null) load.unanswered += 1
        else if (answer.ok) {
          const { status, tx_hash: hash } = answer.output as { status: string; tx_hash: Hex }
          done = status !== 'pending'
          if (status === 'success') load.trades.push(hash)
          else if (status !== 'pending') load.odd.push(`trade ${JSON.stringify(answer.output)}`)
        } else if (answer.code === 'UNAVAILABLE') load.refused += 1
        else load.odd.push(`trade: ${answer.code} ${answer.message}`)
        await sleep(100)
      }
    }
  }

  /** Null where the end comes first: whoever has no money yet may be cut off too. */
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

/** An account with money from the faucet. */
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
