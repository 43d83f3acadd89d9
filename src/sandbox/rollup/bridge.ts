import { decodeFunctionData, type Hex, parseAbi } from 'viem'
import { type BridgeChains, type ChainTransaction, legOf, readTransaction } from './bridge-chains.ts'
import { finalizedTopic, provenTopic, withdrawalFacts } from './bridge-withdrawal.ts'
import { depositedTopic, depositOf } from './deposits.ts'
import { messagePasser, originDepth, parentAddresses } from './parameters.ts'
import type { Leg, Parties, Transfer } from './transfer.ts'

const depositAbi = parseAbi([
  'function depositTransaction(address to, uint256 value, uint64 gasLimit, bool isCreation, bytes data) payable',
])

/**
 * Makes the function that tells what both chains know of the transfer that a transaction of either belongs to; null
 * where neither knows the hash, or it moves nothing over the bridge.
 */
export function bridgeFacts(chains: BridgeChains): (hash: Hex) => Promise<Transfer | null> {
  const { ledger, parent, rollup } = chains

  return async (given) => {
    const hash = given.toLowerCase() as Hex
    const taken = ledger.deposit(hash)
    const begun = ledger.withdrawal(hash)
    if (begun) return withdrawalFacts(chains, begun)
    const onParent = await readTransaction(parent, taken?.parentTransaction ?? hash)
    if (onParent) return factsOfParent(onParent, hash)
    const onRollup = await readTransaction(rollup, hash)
    // A withdrawal that went through is in the ledger: this one waits, or has failed.
    return onRollup?.to === messagePasser ? withdrawalFacts(chains, null, onRollup) : null
  }

  async function factsOfParent(transaction: ChainTransaction, asked: Hex): Promise<Transfer | null> {
    const logs = transaction.logs.filter(({ address }) => address === parentAddresses.portal)
    const deposits = logs.filter(({ topics }) => topics[0] === depositedTopic).flatMap((log) => depositOf(log) ?? [])
    const deposit = deposits.find((one) => one.hash === asked) ?? deposits[0]
    if (deposit) {
      const { from, mint } = deposit
      const done = await rollupLeg(deposit.hash)
      // What is minted belongs to the sender, and its call brings it to the receiver.
      return depositFacts(transaction, { from, to: deposit.to ?? from, amount: BigInt(mint) }, done)
    }
    const ended = logs.find(({ topics }) => topics[0] === provenTopic || topics[0] === finalizedTopic)
    const withdrawal = ended?.topics[1] && ledger.withdrawal(ended.topics[1])
    if (withdrawal) return withdrawalFacts(chains, withdrawal)
    if (transaction.to !== parentAddresses.portal) return null
    const to = receiverOf(transaction)
    return to && depositFacts(transaction, { from: transaction.from, to, amount: transaction.value }, null)
  }

  /** The deposit's transaction on the rollup, once a block had to take it. */
  async function rollupLeg(hash: Hex): Promise<Leg> {
    const transaction = await readTransaction(rollup, hash)
    if (transaction) return legOf(transaction)
    const taken = ledger.deposit(hash)
    const block = taken && ledger.block(taken.block)
    if (!block) return { hash, block: null }
    // Its block is made without it: the engine refused it.
    const confirmations = rollup.head().number - block.number + 1
    const timestamp = new Date(block.timestamp * 1000)
    return { hash, block: { number: block.number, timestamp, confirmations, succeeded: false } }
  }

  function depositFacts(transaction: ChainTransaction, parties: Parties, done: Leg | null): Transfer {
    const pace = { ...chains.pace, confirmations: originDepth + 1 }
    return { direction: 'deposit', ...parties, pace, parent: legOf(transaction), rollup: done }
  }
}

/** Who gets what a deposit brings, from a call that has not run; null where the call is no deposit. */
function receiverOf({ from, input }: ChainTransaction): Hex | null {
  if (input === '0x') return from
  try {
    const [to, , , isCreation] = decodeFunctionData({ abi: depositAbi, data: input }).args
    return isCreation ? from : (to.toLowerCase() as Hex)
  } catch {
    return null
  }
}
