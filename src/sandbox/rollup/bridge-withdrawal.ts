import {
  decodeFunctionData,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  numberToHex,
  parseAbi,
  toEventSelector,
} from 'viem'
import { type BridgeChains, type ChainTransaction, legOf, readTransaction } from './bridge-chains.ts'
import type { LedgerWithdrawal } from './ledger.ts'
import { oracleAbi } from './oracle-abi.ts'
import { batchDelay, messagePasser, originDepth, outputInterval, parentAddresses } from './parameters.ts'
import { messageOf, passedTopic } from './record.ts'
import type { Leg, Parties, Stage, Transfer } from './transfer.ts'

export const provenTopic = toEventSelector('WithdrawalProven(bytes32,address,address)')
export const finalizedTopic = toEventSelector('WithdrawalFinalized(bytes32,bool)')

const initiateAbi = parseAbi(['function initiateWithdrawal(address target, uint256 gasLimit, bytes data) payable'])

/** What both chains know of a withdrawal; of one that waits or has failed there is only its transaction. */
export async function withdrawalFacts(
  chains: BridgeChains,
  withdrawal: LedgerWithdrawal | null,
  unfinished?: ChainTransaction,
): Promise<Transfer | null> {
  const transaction = withdrawal ? await readTransaction(chains.rollup, withdrawal.transaction) : (unfinished ?? null)
  if (!transaction) return null
  const parties = partiesOf(transaction, withdrawal)
  const known = withdrawal
    ? await stageOf(chains, withdrawal)
    : {
        parent: null,
        stage: { at: 'begun', secondsToOutput: outputSeconds(chains, chains.rollup.head().number) } as const,
      }
  const pace = { ...chains.pace, confirmations: 1 }
  return { direction: 'withdrawal', ...parties, pace, rollup: legOf(transaction), ...known }
}

type Known = { parent: Leg | null; stage: Stage }

async function stageOf(chains: BridgeChains, { hash, block }: LedgerWithdrawal): Promise<Known> {
  const { parent, ledger, pace } = chains
  const filter = {
    fromBlock: numberToHex(ledger.block(block)?.origin.number ?? 0),
    toBlock: 'latest',
    address: parentAddresses.portal,
    topics: [[provenTopic, finalizedTopic], hash],
  }
  const logs = (await parent.read('eth_getLogs', [filter])) as { topics: Hex[]; data: Hex; transactionHash: Hex }[]
  const paid = logs.find(({ topics }) => topics[0] === finalizedTopic)
  const latest = paid ?? logs[0]
  if (!latest) {
    const proposed = await newestOutput(chains)
    const stage: Stage =
      proposed >= block ? { at: 'provable' } : { at: 'begun', secondsToOutput: outputSeconds(chains, block) }
    return { parent: null, stage }
  }
  const transaction = await readTransaction(parent, latest.transactionHash)
  const leg = transaction && legOf(transaction)
  if (paid) {
    const succeeded = BigInt(paid.data) === 1n
    return { parent: leg?.block ? { ...leg, block: { ...leg.block, succeeded } } : leg, stage: { at: 'paid' } }
  }
  // The next parent block must be later than the proof's by more than the time to ripen.
  const ripe = (leg?.block?.timestamp.getTime() ?? 0) / 1000 + pace.maturity
  return { parent: leg, stage: { at: 'proven', secondsToMaturity: Math.max(ripe - parent.head().timestamp, 0) } }
}

async function newestOutput({ parent }: BridgeChains): Promise<number> {
  const data = encodeFunctionData({ abi: oracleAbi, functionName: 'latestBlockNumber' })
  const answer = (await parent.read('eth_call', [{ to: parentAddresses.l2OutputOracle, data }, 'latest'])) as Hex
  return Number(decodeFunctionResult({ abi: oracleAbi, functionName: 'latestBlockNumber', data: answer }))
}

/** Seconds until the output that covers a block is on the parent chain: its block is made, is safe, and is proposed. */
function outputSeconds({ rollup, heads, pace }: BridgeChains, block: number): number {
  const covering = Math.ceil(block / outputInterval) * outputInterval
  const { safe } = heads()
  if (safe.number >= covering) return pace.parentBlock
  const toBlock = Math.max(covering - rollup.head().number, 0) * pace.rollupBlock
  return toBlock + (originDepth + batchDelay + 1) * pace.parentBlock
}

function partiesOf({ from, value, input, logs }: ChainTransaction, withdrawal: LedgerWithdrawal | null): Parties {
  const messages = logs
    .filter(({ address, topics }) => address === messagePasser && topics[0] === passedTopic)
    .map(messageOf)
  const message = messages.find(({ withdrawalHash }) => withdrawalHash === withdrawal?.hash)
  if (message) return { from: lower(message.sender), to: lower(message.target), amount: message.value }
  return { from, to: targetOf(input) ?? from, amount: value }
}

/** Where a withdrawal goes, from a call that has not run. */
function targetOf(input: Hex): Hex | null {
  try {
    return lower(decodeFunctionData({ abi: initiateAbi, data: input }).args[0])
  } catch {
    return null
  }
}

function lower(value: Hex): Hex {
  return value.toLowerCase() as Hex
}
