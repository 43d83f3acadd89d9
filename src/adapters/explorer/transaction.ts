import {
  type Address,
  formatLog,
  formatTransaction,
  formatTransactionReceipt,
  type Log,
  type RpcTransaction,
  type RpcTransactionReceipt,
} from 'viem'
import { depositType } from '../../opstack/deposits.ts'
import { depositor } from '../../opstack/l1-attributes.ts'
import { lower, messagesIn, type WireLog } from '../../opstack/messages.ts'
import { totalFee } from '../../opstack/total-fee.ts'
import type { Deployment } from '../chain/reads/deployment.ts'
import { readBlock, readMarks } from './blocks.ts'
import { readCall, swapOf, type Writing, writeCall } from './calls.ts'
import { deedOf } from './deeds.ts'
import { explained } from './events.ts'
import type { CallNode } from './node.ts'
import type { Parties, TokenParty } from './parties.ts'
import { type Frame, readTrace, receivedIn, replayedReason, tracedReason, traceTree } from './traces.ts'
import { readTransfers } from './transfers.ts'

/** The most logs of a transaction that a page shows. */
const mostLogs = 200

type Transaction = ReturnType<typeof formatTransaction>
type Receipt = ReturnType<typeof formatTransactionReceipt>

/** One transaction with its deed, transfers, events and calls; null where the chain does not know the hash. */
export async function readTransaction(callNode: CallNode, parties: Parties, deployment: Deployment, hash: string) {
  const [found, wireReceipt] = await Promise.all([
    callNode('eth_getTransactionByHash', hash),
    callNode('eth_getTransactionReceipt', hash),
  ])
  if (found === null) return null
  const transaction = formatTransaction(found as RpcTransaction)
  const receipt = wireReceipt === null ? null : formatTransactionReceipt(wireReceipt as RpcTransactionReceipt)
  const facts = { transaction, receipt, minted: mintedBy(found), withdrawn: withdrawnBy(wireReceipt) }
  const [{ logs, token, ...story }, place] = await Promise.all([
    readStory(callNode, parties, deployment, facts),
    readPlace(callNode, transaction),
  ])
  const { from, to, value, nonce, input, gasPrice } = transaction
  const price = receipt?.effectiveGasPrice ?? gasPrice ?? 0n // receipts of chains without base fees may lack it
  return {
    hash: transaction.hash,
    nativeSymbol: deployment.native_symbol,
    status: receipt === null ? ('pending' as const) : receipt.status,
    ...place,
    from: parties.party(from),
    to: to === null ? null : parties.party(to),
    contract: receipt?.contractAddress == null ? null : parties.party(receipt.contractAddress),
    valueWei: value,
    nonce,
    input,
    gasUsed: receipt?.gasUsed ?? null,
    feeWei: receipt === null ? null : totalFee({ gasUsed: receipt.gasUsed, effectiveGasPrice: price }, wireReceipt),
    logs: logs
      .slice(0, mostLogs)
      .map((log) => ({ ...explained(log, token(log.address)), contract: parties.party(log.address) })),
    hiddenLogs: Math.max(logs.length - mostLogs, 0),
    mintedWei: facts.minted,
    withdrawnWei: facts.withdrawn,
    ...story,
  }
}

/** Its block with the mark, and the transactions beside it in the block. */
async function readPlace(callNode: CallNode, { hash, blockNumber }: Transaction) {
  const [block, head, markOf] = await Promise.all([
    blockNumber == null ? null : readBlock(callNode, blockNumber),
    readBlock(callNode, 'latest'),
    readMarks(callNode),
  ])
  const hashes = (block?.transactions ?? []) as string[] // the block was read with hashes only
  const place = hashes.indexOf(hash)
  return {
    blockNumber: block?.number ?? null,
    depth: block === null || head === null ? null : head.number - block.number + 1n,
    timestamp: block?.timestamp ?? null,
    mark: markOf(block?.number ?? null),
    previous: place > 0 ? (hashes[place - 1] ?? null) : null,
    next: place < 0 ? null : (hashes[place + 1] ?? null),
  }
}

type Facts = { transaction: Transaction; receipt: Receipt | null; minted: bigint | null; withdrawn: readonly bigint[] }

/** What the transaction did: its deed, its call, its transfers and its trace, and why it reverted. */
async function readStory(
  callNode: CallNode,
  parties: Parties,
  deployment: Deployment,
  { transaction, receipt, minted, withdrawn }: Facts,
) {
  const { hash, from, to, input, value } = transaction
  const call = to === null ? null : readCall(input)
  const logs = receipt?.logs.map((log) => formatLog(log as never) as Log) ?? []
  const isOfToken = call !== null && ['approve', 'transfer', 'transferFrom'].includes(call.name)
  const [{ transfers, tokens, moved }, frame, called] = await Promise.all([
    readTransfers(logs, parties),
    receipt === null ? null : readTrace(callNode, hash),
    isOfToken && to !== null ? parties.token(to) : null,
  ])
  const writing = writingOf(parties, deployment, called === null ? tokens : [...tokens, called])
  const succeeded = receipt?.status === 'success'
  const deed = deedOf({
    from,
    to,
    input,
    value,
    succeeded,
    minted: from === depositor ? null : minted,
    withdrawn,
    call,
    contract: receipt?.contractAddress == null ? null : parties.party(receipt.contractAddress),
    moved,
    received:
      frame === null
        ? unwrappedFor(logs, to, call !== null && swapOf(call)?.unwraps === true, writing)
        : receivedIn(frame, from),
    ...writing,
  })
  return {
    logs,
    token: writing.token,
    transfers,
    deed,
    call: call === null || to === null ? null : writeCall(call, to, writing),
    reason: receipt?.status === 'reverted' ? await reasonFor(callNode, transaction, frame) : null,
    trace: frame === null ? null : traceTree(frame, parties),
  }
}

function writingOf(
  { party, listedToken }: Parties,
  { wrapped_native }: Deployment,
  read: readonly TokenParty[],
): Writing {
  const tokens = new Map(read.map((one) => [lower(one.address as Address), one]))
  const token = (address: string) => listedToken(address) ?? tokens.get(lower(address as Address)) ?? null
  return { party, token, wrapped: wrapped_native }
}

/** Without a trace: the wei for which the called contract gave back wrapped currency, where its call pays that out. */
function unwrappedFor(logs: readonly Log[], to: Address | null, paysOut: boolean, { wrapped }: Writing): bigint {
  if (!paysOut || to === null) return 0n
  const own = logs.filter(({ address }) => lower(address) === lower(wrapped)).map((log) => explained(log).event)
  const given = own.filter(
    (event) => event?.name === 'Withdrawal' && lower(event.args[0]?.value as Address) === lower(to),
  )
  return given.reduce((sum, event) => sum + BigInt(event?.args[1]?.value ?? 0), 0n)
}

async function reasonFor(callNode: CallNode, transaction: Transaction, frame: Frame | null): Promise<string | null> {
  return frame === null ? await replayedReason(callNode, transaction) : tracedReason(frame)
}

/** Null where the transaction is not a deposit. */
function mintedBy(transaction: unknown): bigint | null {
  const { type, mint } = transaction as { type?: string; mint?: string | null }
  return type === depositType ? BigInt(mint ?? 0) : null
}

function withdrawnBy(receipt: unknown): bigint[] {
  const { logs } = (receipt ?? { logs: [] }) as { logs: WireLog[] }
  return messagesIn(logs).map(({ value }) => value)
}
