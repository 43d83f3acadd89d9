import { formatTransactionReceipt, keccak256, type RpcTransactionReceipt } from 'viem'
import { DomainError } from '../../domain/core/errors.ts'
import type { Chain, ChainInfo, Fees, Head, Hex, Receipt } from '../../domain/ports/chains.ts'
import { guarded, sendFailure } from '../node/errors/chain-errors.ts'
import { type Connection, connect, type NodeRequest, readHead, type WatchRequest } from './reads/connection.ts'
import type { Deployment } from './reads/deployment.ts'
import { readPrice } from './reads/feeds.ts'
import { readBlockHash, readFinality } from './reads/finality.ts'
import { emptyGas } from './reads/gas.ts'
import { readAll } from './reads/multicall.ts'
import { createPoolBook } from './reads/pools.ts'
import { revertReason } from './reads/revert-reason.ts'
import { multicallViews, tokenViews } from './reads/views.ts'
import { quoteRoutes } from './swaps/quotes.ts'
import { fillOf } from './swaps/swap-results.ts'
import { createSwaps, revocation } from './swaps/swaps.ts'
import { readFlow } from './tokens/flow.ts'
import { createSlotFinder } from './tokens/slots.ts'
import { readToken } from './tokens/token-facts.ts'

export type ChainOptions = {
  deployment: Deployment
  /** How the embedded chain answers; null for a public chain. */
  request: NodeRequest | null
  /** Addresses of a public chain's nodes; later ones stand in for earlier ones. */
  rpcUrls: readonly string[]
  /** Hears of each question to a public chain's nodes. */
  watch?: WatchRequest | undefined
  sandbox: boolean
  /** Address of the block explorer, in place of the one the deployment names. */
  explorerUrl?: string | null
  /** Tells of new blocks; a public chain is asked for them instead. */
  onBlock?: (listener: (head: Head) => void) => () => void
  /** How firm the chain is, where its node does not know; else its tags are read. */
  finality?: () => Promise<{ safe: bigint; finalized: bigint }>
}

/** Opens a chain; nothing is asked of it yet. */
export function openChain(options: ChainOptions): Chain {
  const { deployment } = options
  const endpoint =
    options.request === null ? { rpcUrls: options.rpcUrls, watch: options.watch } : { request: options.request }
  const connection = connect(deployment, endpoint, options.sandbox)
  const { client } = connection
  const book = createPoolBook(connection)
  const slots = createSlotFinder(connection)
  const swaps = createSwaps(connection, slots)
  const safely = <T>(work: () => Promise<T>) => guarded(deployment.name, work)

  return {
    info: infoOf(options),
    head: () => safely(() => readHead(connection)),
    onBlock: options.onBlock ?? ((listener) => watchHeads(connection, listener)),
    finality: () => safely(() => options.finality?.() ?? readFinality(connection)),
    blockHash: (number) => safely(() => readBlockHash(connection, number)),
    nonce: (address, at) =>
      safely(() =>
        client.getTransactionCount(typeof at === 'bigint' ? { address, blockNumber: at } : { address, blockTag: at }),
      ),
    fees: () => safely(() => readFees(connection)),
    emptyGas: (account) => safely(() => emptyGas(connection, account)),
    async broadcast(raw) {
      try {
        await client.sendRawTransaction({ serializedTransaction: raw })
      } catch (error) {
        const failure = sendFailure(deployment.name, error)
        // To a node that has mined the transaction, sending it again is a nonce that is used.
        if (
          failure === null ||
          (failure.details.metadata?.refusal === 'nonce_too_low' &&
            (await isKnown(connection, keccak256(raw)).catch(() => false)))
        )
          return
        throw failure
      }
    },
    receipt: (hash) => safely(() => readReceipt(connection, hash)),
    knows: (hash) => safely(() => isKnown(connection, hash)),
    balances: (owner, tokens) => safely(() => readBalances(connection, owner, tokens)),
    price: (pair) => safely(() => readPrice(connection, pair)),
    quoteRoutes: (tokenIn, tokenOut, amountIn) =>
      safely(() => quoteRoutes(connection, book, { tokenIn, tokenOut, amountIn })),
    estimateSwapGas: (route, amountIn) => safely(() => swaps.estimateGas(route, amountIn)),
    arrivalOf: (route, amountIn, block) => safely(() => swaps.arrivalOf(route, amountIn, block)),
    simulateSwap: (plan, how) => safely(() => swaps.simulate(plan, how)),
    revocation,
    swapLegs: (plan) => safely(() => swaps.legs(plan)),
    fillOf: (receipt, route, owner) => fillOf(deployment, receipt.logs, route, owner),
    revertReason: (hash) => safely(() => revertReason(connection, hash)),
    readToken: (token) => safely(() => readToken(connection, book, slots, token)),
    readFlow: (token) => safely(() => readFlow(connection, book, token)),
  }
}

function infoOf({ deployment, sandbox, explorerUrl }: ChainOptions): ChainInfo {
  return {
    id: deployment.chain_id,
    name: deployment.name,
    nativeSymbol: deployment.native_symbol,
    nativeUsdFeed: deployment.native_usd_feed,
    feedPairs: deployment.feeds.map(({ pair }) => pair),
    wrappedNative: deployment.wrapped_native,
    tokens: deployment.tokens.map(({ symbol, address, decimals, usd_feed, test }) => ({
      ...{ symbol, address, decimals, usdFeed: usd_feed ?? null },
      ...(test === true ? { test } : {}),
    })),
    venues: deployment.tokens.length === 0 ? [] : ['uniswap_v2', 'uniswap_v3', 'wrapped_native'],
    explorerUrl: (explorerUrl ?? deployment.explorer_url ?? null)?.replace(/\/+$/, '') ?? null,
    blockTimeSeconds: deployment.block_time_seconds,
    sandbox,
  }
}

function watchHeads(connection: Connection, listener: (head: Head) => void): () => void {
  return connection.client.watchBlocks({
    emitOnBegin: false,
    emitMissed: false,
    onBlock: ({ number, hash, timestamp }) => listener({ number, hash, timestamp }),
    onError: () => undefined, // the next poll asks again
  })
}

async function isKnown({ client }: Connection, hash: Hex): Promise<boolean> {
  return (await client.request({ method: 'eth_getTransactionByHash', params: [hash] })) !== null
}

/** Room for the base fee to double before the transaction is mined. */
async function readFees({ client }: Connection): Promise<Fees> {
  const [block, maxPriorityFeePerGas] = await Promise.all([
    client.getBlock({ blockTag: 'latest', includeTransactions: false }),
    client.estimateMaxPriorityFeePerGas(),
  ])
  const baseFee = block.baseFeePerGas ?? (await client.getGasPrice())
  return { maxFeePerGas: baseFee * 2n + maxPriorityFeePerGas, maxPriorityFeePerGas }
}

async function readReceipt({ client }: Connection, hash: Hex): Promise<Receipt | null> {
  const found = await client.request({ method: 'eth_getTransactionReceipt', params: [hash] })
  if (found === null) return null
  const receipt = formatTransactionReceipt(found as RpcTransactionReceipt)
  const { l1Fee } = found as { l1Fee?: Hex }
  return {
    hash,
    status: receipt.status,
    blockNumber: receipt.blockNumber,
    blockHash: receipt.blockHash,
    gasUsed: receipt.gasUsed,
    feeWei: receipt.gasUsed * receipt.effectiveGasPrice + BigInt(l1Fee ?? 0),
    logs: receipt.logs.map(({ address, topics, data }) => ({ address, topics, data })),
  }
}

async function readBalances(connection: Connection, owner: Hex, tokens: readonly Hex[]) {
  const block = await readHead(connection)
  const native = multicallViews.getEthBalance(connection.deployment.multicall3, owner)
  const reads = tokens.map((token) => tokenViews.balanceOf(token, owner))
  const [wei, ...held] = await readAll(connection, [native, ...reads], block.number)
  if (wei === null)
    throw new DomainError(
      'UNAVAILABLE',
      `The chain ${connection.deployment.name} does not tell balances; try again later.`,
    )
  return { native: wei, tokens: held, block }
}
