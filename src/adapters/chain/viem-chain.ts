import { DomainError } from '../../domain/core/errors.ts'
import {
  type Chain,
  type ChainInfo,
  type Chains,
  type Head,
  type Hex,
  paidPerGas,
  type RouteQuote,
} from '../../domain/ports/chains.ts'
import type { NodeBlock } from '../../domain/ports/node.ts'
import { assumedDepth, finalityReader } from '../node/finality.ts'
import { onChanges } from '../node/on-changes.ts'
import { sendRaw } from '../node/send.ts'
import { readPrice } from './feeds/feeds.ts'
import { createPoolBook } from './pools/pool-book.ts'
import { atNewest, headOf } from './reads/block-view.ts'
import { type Connection, connect, readBlock, readHead, type TradingNode } from './reads/connection.ts'
import { dataFees } from './reads/data-fee.ts'
import type { Deployment } from './reads/deployment.ts'
import { guarded, sendFailure } from './reads/failures.ts'
import { readFees } from './reads/fees.ts'
import { emptyGas } from './reads/gas.ts'
import { readAll } from './reads/multicall.ts'
import { readReceipt } from './reads/receipts.ts'
import { revertReason } from './reads/revert-reason.ts'
import { movedBetween, sentBy } from './reads/sent-transactions.ts'
import { multicallViews, tokenViews } from './reads/views.ts'
import { revocation } from './swaps/approvals.ts'
import { createArrivals, routeKey } from './swaps/arrivals.ts'
import { decodedCall } from './swaps/decoded-call.ts'
import { createQuoting } from './swaps/quotes.ts'
import { fillOf } from './swaps/swap-results.ts'
import { createSwaps } from './swaps/swaps.ts'
import { readFlow } from './tokens/flow.ts'
import { createSlotFinder } from './tokens/slots.ts'
import { tokenReader } from './tokens/token-facts.ts'

export type ChainOptions = {
  deployment: Deployment
  node: TradingNode
  sandbox: boolean
  /** The URL of the block explorer, in place of the one in the deployment table. */
  explorerUrl?: string | null
}

/** Opens a chain over the client of its node. Nothing is read yet. */
export function openChain(options: ChainOptions): Chain {
  const { deployment, node } = options
  const connection = connect(deployment, node, options.sandbox)
  const { client } = connection
  const book = createPoolBook(connection)
  const quoting = createQuoting(connection, book)
  const slots = createSlotFinder(connection)
  const readToken = tokenReader(connection, book, slots)
  const swaps = createSwaps(connection, slots)
  const arrivals = createArrivals(connection, slots)
  const dataFee = dataFees(connection)
  const readFinality = finalityOf(connection)
  const safely = <T>(work: () => Promise<T>) => guarded(deployment.name, work)
  const perBlock = <T>(name: string, read: () => Promise<T>) =>
    safely(() => atNewest(connection, async ({ once }) => await once(name, read)))
  const fees = () => perBlock('fees', () => readFees(connection))
  const swapGas = async ({ route }: RouteQuote, amountIn: bigint) => {
    const [{ gas, call }, price] = await Promise.all([swaps.estimateGas(route, amountIn), fees()])
    const perGas = paidPerGas(price)
    return perGas === 0n ? gas : gas + (await dataFee([call])) / perGas
  }

  return {
    info: infoOf(options),
    head: (how) => safely(async () => headOf(await (how === 'recent' ? node.recentHead() : node.head()))),
    upstreams: () => node.states(),
    onBlock: (listener) => watchHeads(node, listener),
    onReorganised: (listener) => node.onReorganised(listener),
    replaced: (block) => safely(() => node.isReplaced(block)),
    finality: () => perBlock('finality', readFinality),
    blockHash: (number, how) =>
      safely(async () => {
        const followed = how === 'followed' ? node.followed?.(number) : undefined
        return followed?.hash ?? (await readBlock(connection.call, number))?.hash ?? null
      }),
    left: (block) => safely(() => connection.left(block)),
    minedAfter: (block) => safely(() => readMined(connection, node, block)),
    nonce: (address, at) =>
      safely(() =>
        client.getTransactionCount(typeof at === 'bigint' ? { address, blockNumber: at } : { address, blockTag: at }),
      ),
    fees,
    dataFee: (calls) => safely(() => atNewest(connection, () => dataFee(calls))),
    emptyGas: (account) => safely(() => emptyGas(connection, account)),
    async broadcast(raw) {
      try {
        await sendRaw(connection.call, raw)
      } catch (error) {
        throw sendFailure(deployment.name, error)
      }
    },
    receipt: (hash) => safely(() => readReceipt(connection, hash)),
    knows: (hash) => safely(() => isKnown(connection, hash)),
    sentBy: (account, nonces, after, last) => safely(() => sentBy(connection, account, { nonces, after, last })),
    movedBetween: (accounts, after, last) => safely(() => movedBetween(connection, accounts, { after, last })),
    balances: (owner, tokens, at, which) =>
      safely(() => {
        const read = (block: Head) => readBalances(connection, owner, tokens, { block, which })
        return at === undefined ? atNewest(connection, async () => read(await readHead(connection))) : read(at)
      }),
    price: (pair, at) => safely(() => atNewest(connection, () => readPrice(connection, pair, at))),
    quoteRoutes: (tokenIn, tokenOut, amountIn) =>
      safely(() => atNewest(connection, () => quoting({ tokenIn, tokenOut, amountIn }))),
    estimateSwapGas: (quote, amountIn) =>
      perBlock(`gas ${routeKey(quote.route)} ${quote.gas}`, () => swapGas(quote, amountIn)),
    arrivalOf: (quote, amountIn, block) => safely(() => arrivals(quote, amountIn, block)),
    simulateSwap: (plan, how) => safely(() => atNewest(connection, () => swaps.simulate(plan, how))),
    revocation,
    swapLegs: (plan) => safely(() => atNewest(connection, () => swaps.legs(plan))),
    decodedCall,
    fillOf: (receipt, route, owner) => fillOf(deployment, receipt.logs, route, owner),
    revertReason: (hash) => safely(() => revertReason(connection, hash)),
    readToken: (token) => perBlock(`token ${token}`, () => readToken(token)),
    readFlow: (token) => perBlock(`flow ${token}`, () => readFlow(connection, book, token)),
  }
}

function finalityOf(connection: Connection) {
  const { call: read, deployment } = connection
  const { safe_depth: safe, finalized_depth: finalized, block_time_seconds: blockSeconds } = deployment
  const depths = {
    safe: safe === undefined ? assumedDepth.safe : BigInt(safe),
    finalized: finalized === undefined ? assumedDepth.finalized : BigInt(finalized),
  }
  // The tags of the embedded chain cost no call.
  const everyBlocks = connection.embedded ? 1n : blocksOfTag
  const head = async () => (await readHead(connection)).number
  return finalityReader({ read, head, depths, blockSeconds, everyBlocks })
}

/** The tags of finality are read once in so many blocks. */
const blocksOfTag = 4n

function infoOf({ deployment, sandbox, explorerUrl }: ChainOptions): ChainInfo {
  return {
    id: deployment.chain_id,
    name: deployment.name,
    nativeSymbol: deployment.native_symbol,
    nativeUsdFeed: deployment.native_usd_feed,
    feedPairs: deployment.feeds.map(({ pair }) => pair),
    wrappedNative: deployment.wrapped_native,
    tokens: deployment.tokens.map(({ symbol, address, decimals, usd_feed, pegged, test }) => ({
      symbol,
      address,
      decimals,
      usdFeed: usd_feed ?? null,
      ...(pegged === undefined ? {} : { pegged }),
      ...(test === true ? { test } : {}),
    })),
    venues: deployment.tokens.length === 0 ? [] : ['uniswap_v2', 'uniswap_v3', 'wrapped_native'],
    explorerUrl: (explorerUrl ?? deployment.explorer_url ?? null)?.replace(/\/+$/, '') ?? null,
    blockTimeSeconds: deployment.block_time_seconds,
    sandbox,
  }
}

function watchHeads(node: TradingNode, listener: (head: Head) => void): () => void {
  const report = (block: NodeBlock) => listener(headOf(block))
  return onChanges(node, (change) => {
    const newest = change?.added.at(-1)
    if (newest !== undefined) report(newest)
    else node.recentHead().then(report, () => undefined) // the next change reports the next block
  })
}

/** The most blocks whose transactions are read one after the other. */
const mostBlocksRead = 16n

/** The part of a block that says what was mined in it. */
type Mined = { hash: Hex; parentHash: Hex; transactions: readonly Hex[] }

async function readMined(connection: Connection, node: TradingNode, { number, hash }: Head) {
  const head = await readHead(connection)
  if (head.number - number > mostBlocksRead) return null
  const hashes = new Set<Hex>()
  let last = hash
  for (let next = number + 1n; next <= head.number; next += 1n) {
    const block = (node.followed?.(next)?.wire ?? (await readBlock(connection.call, next))) as Mined | null
    if (block === null || block.parentHash !== last) return null
    for (const transaction of block.transactions) hashes.add(transaction.toLowerCase() as Hex)
    last = block.hash
  }
  return last === head.hash ? { head, hashes } : null
}

/** All nodes are called until one has the transaction, because a node that lags proves nothing. */
async function isKnown({ call }: Connection, hash: Hex): Promise<boolean> {
  const suits = (transaction: unknown) => transaction !== null
  return (await call('eth_getTransactionByHash', [hash], { suits })) !== null
}

async function readBalances(
  connection: Connection,
  owner: Hex,
  tokens: readonly Hex[],
  { block, which }: { block: Head; which: 'tokens' | undefined },
) {
  const reads = tokens.map((token) => tokenViews.balanceOf(token, owner))
  if (which === 'tokens') return { native: 0n, tokens: await readAll(connection, reads, block), block }
  const native = multicallViews.getEthBalance(connection.deployment.multicall3, owner)
  const [wei, ...held] = await readAll(connection, [native, ...reads], block)
  if (wei === null)
    throw new DomainError(
      'UNAVAILABLE',
      `The chain ${connection.deployment.name} does not return balances. Try again later.`,
    )
  return { native: wei, tokens: held, block }
}

/** Open chains as one port, the default one first. */
export function joinChains(...all: readonly [Chain, ...Chain[]]): Chains {
  return { all, default: all[0], find: (chainId) => all.find(({ info }) => info.id === chainId) ?? null }
}
