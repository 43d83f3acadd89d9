import { type Address, formatLog, type Log, pad } from 'viem'
import type { Deployment } from '../chain/reads/deployment.ts'
import { placedOf, readBlock } from './blocks.ts'
import type { CallNode } from './node.ts'
import type { Parties } from './parties.ts'
import { transfersIn } from './transfers.ts'
import { readWorth } from './worth.ts'

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const lookback = 1_000n

/** The balances of an address, whether it has code, and its recent transactions and token transfers, newest first. */
export async function readAddress(callNode: CallNode, parties: Parties, deployment: Deployment, address: Address) {
  const newest = await readBlock(callNode, 'latest')
  const head = newest?.number ?? 0n
  const now = BigInt(Math.floor((newest?.timestamp.getTime() ?? 0) / 1_000))
  const from = head > lookback ? head - lookback : 0n
  const [{ balance, ...holdings }, nonce, code, logs, history] = await Promise.all([
    readHoldings(callNode, parties, deployment, address, now),
    callNode('eth_getTransactionCount', address, 'latest'),
    callNode('eth_getCode', address, 'latest'),
    transferLogs(callNode, address, from),
    readHistory(callNode, parties, address, head),
  ])
  return {
    party: parties.party(address),
    nativeSymbol: deployment.native_symbol,
    balanceWei: balance,
    sent: Number(BigInt(String(nonce))),
    isContract: code !== '0x',
    ...holdings,
    ...history,
    sinceBlock: from,
    transfers: await transfersIn(logs, parties),
  }
}

async function readHoldings(
  callNode: CallNode,
  { party }: Parties,
  deployment: Deployment,
  address: Address,
  now: bigint,
) {
  const balance = BigInt(String(await callNode('eth_getBalance', address, 'latest')))
  const { tokens, worth } = await readWorth(callNode, deployment, address, balance, now)
  return { balance, worth, tokens: tokens.map((one) => ({ ...one, token: party(one.token.address) })) }
}

/** Transfers from and to the address. Empty where the node refuses such a range. */
async function transferLogs(callNode: CallNode, address: Address, from: bigint): Promise<Log[]> {
  const party = pad(address)
  const range = { fromBlock: `0x${from.toString(16)}`, toBlock: 'latest' }
  const reads = [
    [transferTopic, party],
    [transferTopic, null, party],
  ].map(async (topics) => (await callNode('eth_getLogs', { ...range, topics }).catch(() => [])) as unknown[])
  const logs = (await Promise.all(reads)).flat().map((log) => formatLog(log as never) as Log)
  const once = new Map(logs.map((log) => [`${log.blockNumber} ${log.logIndex}`, log]))
  return [...once.values()].sort((a, b) => Number((b.blockNumber ?? 0n) - (a.blockNumber ?? 0n)))
}

/** How many transactions are shown, and how many blocks are searched: nodes have no index by address. */
const most = { shown: 20, blocks: 500n, transactions: 2_000 }
/** Blocks that are read concurrently. */
const together = 20n

/** The newest transactions from or to an address, newest first, and the lowest block that was searched. */
async function readHistory(callNode: CallNode, parties: Parties, address: Address, head: bigint) {
  const found: ReturnType<typeof placedOf> = []
  let since = head + 1n
  let looked = 0
  while (since > 0n && head - since < most.blocks && looked < most.transactions && found.length < most.shown) {
    const from = since > together ? since - together : 0n
    const numbers = Array.from({ length: Number(since - from) }, (_, index) => since - 1n - BigInt(index))
    const blocks = await Promise.all(numbers.map((number) => readBlock(callNode, number, true)))
    const transactions = blocks.flatMap((block) => (block?.transactions as Ends[] | undefined)?.toReversed() ?? [])
    const own = transactions.filter((one) => isOf(address, one))
    found.push(...own.flatMap((one) => placedOf(one, parties)))
    looked += transactions.length
    since = from
  }
  return { lookedSince: since, transactions: found.slice(0, most.shown) }
}

type Ends = { from: string; to: string | null }

function isOf(address: Address, { from, to }: Ends): boolean {
  return from.toLowerCase() === address || to?.toLowerCase() === address
}
