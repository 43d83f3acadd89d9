import { encodeFunctionData, encodePacked, erc20Abi, type Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { v2Abi, v3Abi } from '../../src/adapters/chain/reads/abis.ts'
import { addresses } from '../../src/sandbox/deploy/addresses.ts'
import { connectIpc } from '../../src/sandbox/engine/ipc.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { type Client, output } from '../../test/clients/client.ts'
import { rpc } from '../../test/clients/rpc-call.ts'
import { untilDecided } from '../../test/drivers/until-decided.ts'
import { engineSocket } from '../../test/engine.ts'
import type { Gateway } from '../../test/gateway-process.ts'
import { type Account, fundedAccount } from '../../test/world.ts'
import { pollMs, waitMs } from './turns.ts'

const openedAtOnce = 8

/** Opens `count` accounts whose wallets have money. */
export async function openAccounts(client: Client, count: number): Promise<Account[]> {
  const accounts: Account[] = []
  while (accounts.length < count) {
    const more = Math.min(openedAtOnce, count - accounts.length)
    accounts.push(...(await Promise.all(Array.from({ length: more }, () => fundedAccount(client)))))
  }
  return accounts
}

/** Makes a trade that must succeed, and returns its id; its wait for a block is in it. */
export async function trade(client: Client, account: Account): Promise<string> {
  return await execute(client, account, orderOf(account))
}

/** The same at the price of a quote that is requested before. */
export async function quotedTrade(client: Client, account: Account): Promise<string> {
  const order = orderOf(account)
  const { quote_id } = await output(client.call('trading.quote', { input: order.input }, account.token))
  return await execute(client, account, { ...order, quote_id })
}

const orderOf = (account: Account) => account.trade('WETH', 'USDC', '0.001', crypto.randomUUID())

async function execute(client: Client, account: Account, order: object): Promise<string> {
  const decided = await untilDecided(() => output(client.call('trading.execute', order, account.token)))
  if (decided?.status !== 'success') throw new Error(`A trade is ${decided?.status}: ${decided?.message}`)
  return decided.execution_id
}

/** For some concurrent trades: milliseconds until a node has all of them, and until each is in a block. */
export type Pace = { accepted: number; included: number[] }

const value = 10n ** 15n
const path = [addresses.weth, addresses.usdc]

/**
 * The swap of the benchmarks without the gateway's trading: called at the engine itself, or signed and sent to the node
 * with its approval, as a trade is.
 */
export type RawSwap = Disposable & {
  /** A swap through one pool. A quote of the gateway compares all pools. */
  quote(): Promise<unknown>
  simulate(): Promise<unknown>
  /** Signs the next approvals and swaps of its own wallet, in turns. */
  signPairs(count: number): Promise<Hex[]>
  /** Sends them to the node concurrently, and waits until all are in blocks. */
  sendAll(signed: readonly Hex[]): Promise<Pace>
}

/** Opens it with a new wallet, which the faucet has paid. */
export async function openRawSwap(dataDir: string, { urls }: Gateway, client: Client): Promise<RawSwap> {
  const engine = await connectIpc(engineSocket(dataDir))
  const account = privateKeyToAccount(generatePrivateKey())
  await output(client.call('chain.claimFaucet', { address: account.address }))
  await until(
    async () => BigInt((await rpc(urls.rpc, 'eth_getBalance', account.address, 'latest')).result) > 0n,
    'the payment of the faucet',
  )
  const chainId = Number((await rpc(urls.rpc, 'eth_chainId')).result)
  const gasPrice = BigInt((await rpc(urls.rpc, 'eth_gasPrice')).result)
  const args = [0n, path, account.address, 2n ** 40n] as const
  const functionName = 'swapExactETHForTokensSupportingFeeOnTransferTokens'
  const data = encodeFunctionData({ abi: v2Abi, functionName, args })
  const route = encodePacked(['address', 'uint24', 'address'], [addresses.weth, 500, addresses.usdc])
  const asked = encodeFunctionData({ abi: v3Abi, functionName: 'quoteExactInput', args: [route, value] })
  const swap = { from: account.address, to: addresses.v2Router, value: `0x${value.toString(16)}`, data }
  const approval = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [addresses.v2Router, value] })
  let nonce = 0
  return {
    quote: () => engine.call('eth_call', [{ to: addresses.v3Quoter, data: asked }, 'latest']),
    simulate: () => engine.call('eth_call', [swap, 'latest']),
    signPairs(count) {
      const fees = { maxFeePerGas: 2n * gasPrice, maxPriorityFeePerGas: 0n, gas: 300_000n }
      const pair = [
        { to: addresses.weth, data: approval },
        { to: addresses.v2Router, data, value },
      ]
      const all = Array.from({ length: count }, () => pair).flat()
      const next = { type: 'eip1559', chainId, ...fees } as const
      return Promise.all(all.map((call) => account.signTransaction({ ...next, ...call, nonce: nonce++ })))
    },
    sendAll: async (signed) => await sendAll(urls.rpc, account.address, signed),
    [Symbol.dispose]: () => engine.close(),
  }
}

async function sendAll(url: string, sender: Hex, signed: readonly Hex[]): Promise<Pace> {
  const ask = async (method: string, ...params: unknown[]) => {
    const { result, error } = await rpc(url, method, ...params)
    if (error !== undefined) throw new Error(`${method} answers: ${error.message}`)
    return result
  }
  const includedOf = async () => Number(await ask('eth_getTransactionCount', sender, 'latest'))
  const before = await includedOf()
  const begun = performance.now()
  const hashes = await Promise.all(signed.map((one) => ask('eth_sendRawTransaction', one)))
  const accepted = performance.now() - begun
  const included: number[] = []
  const haveAll = async () => {
    const pairs = Math.floor(((await includedOf()) - before) / 2)
    while (included.length < pairs) included.push(performance.now() - begun)
    return 2 * included.length >= signed.length
  }
  await until(haveAll, 'all swaps to be in blocks', waitMs, pollMs)
  const receipt = await ask('eth_getTransactionReceipt', hashes.at(-1))
  if (receipt.status !== '0x1') throw new Error('The last of the swaps has failed.')
  return { accepted, included }
}
