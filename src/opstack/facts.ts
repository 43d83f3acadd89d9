import { decodeFunctionData, type Hex, parseAbi } from 'viem'
import type { BridgeFacts, BridgeLeg } from '../domain/ports/bridge.ts'
import { depositedTopic, depositOf, depositType } from './deposits.ts'
import { lower, messagesIn } from './messages.ts'
import { relayedParties } from './messenger.ts'
import { messagePasser } from './predeploys.ts'
import { type ChainTransaction, legOf, readTransaction } from './transaction.ts'
import { claimedIn, withdrawalFacts } from './withdrawal.ts'
import type { BridgeTerms, BridgeWorld } from './world.ts'

const depositAbi = parseAbi([
  'function depositTransaction(address to, uint256 value, uint64 gasLimit, bool isCreation, bytes data) payable',
  'function bridgeETH(uint32 gasLimit, bytes data) payable',
  'function bridgeETHTo(address to, uint32 gasLimit, bytes data) payable',
  'function depositETH(uint32 gasLimit, bytes data) payable',
  'function depositETHTo(address to, uint32 gasLimit, bytes data) payable',
  'function sendMessage(address to, bytes message, uint32 gasLimit) payable',
])

/**
 * Returns a function that reads the state of a bridge transfer from both chains, by the hash of a transaction of either.
 * It returns null where neither chain knows the hash, or the transaction moves nothing over the bridge.
 */
export function bridgeFacts(world: BridgeWorld): (hash: Hex) => Promise<BridgeFacts | null> {
  const { parent, rollup } = world

  return async (given) => {
    const requested = lower(given)
    const [onParent, onRollup] = await Promise.all([
      readTransaction(parent, requested),
      readTransaction(rollup, requested),
    ])
    if (onParent) return await factsOfParent(onParent, requested)
    if (onRollup) return await factsOfRollup(onRollup)
    const other = world.resolve(requested)
    if (other === null) return null
    const found = 'parent' in other ? null : await readTransaction(rollup, other.rollup)
    if (found) return await factsOfRollup(found)
    return 'parent' in other ? await factsOfParentHash(other.parent, requested) : null
  }

  async function factsOfRollup(transaction: ChainTransaction): Promise<BridgeFacts | null> {
    // A call of the message passer without a message is pending, or has failed.
    if (messagesIn(transaction.logs).length > 0 || transaction.to === messagePasser)
      return await withdrawalFacts(world, transaction)
    if (transaction.type.toLowerCase() !== depositType) return null
    const parentHash = await world.parentOf(transaction)
    return parentHash && (await factsOfParentHash(parentHash, transaction.hash))
  }

  async function factsOfParentHash(hash: Hex, requested: Hex): Promise<BridgeFacts | null> {
    const transaction = await readTransaction(parent, hash)
    return transaction && (await factsOfParent(transaction, requested))
  }

  async function factsOfParent(transaction: ChainTransaction, requested: Hex): Promise<BridgeFacts | null> {
    const terms = await world.terms()
    const logs = transaction.logs.filter(({ address }) => address === terms.portal)
    const deposits = logs.filter(({ topics }) => topics[0] === depositedTopic).flatMap((log) => depositOf(log) ?? [])
    const deposit = deposits.find((one) => one.hash === requested) ?? deposits[0]
    if (deposit) {
      const { hash, from, mint, data } = deposit
      const there = await readTransaction(rollup, hash)
      const to = deposit.to ?? there?.created ?? null
      // The ether is minted for the sender, whose call transfers it to the receiver.
      const parties = { ...(relayedParties(data) ?? { from, to }), amount: BigInt(mint) }
      const leg = there ? legOf(there, deposit.to) : { hash, block: await world.droppedIn(hash) }
      return depositFacts(terms, transaction, parties, leg)
    }
    const claim = claimedIn(transaction, logs)
    if (claim) {
      const initiation = await world.initiationOf(claim.hash, claim.message?.nonce ?? null)
      const initiated = initiation && (await readTransaction(rollup, initiation))
      return await withdrawalFacts(world, initiated || null, claim)
    }
    const { from, value: amount } = transaction
    const receiver = unfinishedReceiver(terms, transaction)
    return receiver && depositFacts(terms, transaction, { from, ...receiver, amount }, null)
  }
}

function depositFacts(
  { pace }: BridgeTerms,
  transaction: ChainTransaction,
  parties: { from: Hex; to: Hex | null; amount: bigint },
  rollup: BridgeLeg | null,
): BridgeFacts {
  return { direction: 'deposit', ...parties, pace, parent: legOf(transaction), rollup }
}

/** The receiver of a deposit call that is pending or has failed, null for a new contract; null where the call is not a deposit. */
function unfinishedReceiver(
  { portal, gateways }: BridgeTerms,
  transaction: ChainTransaction,
): { to: Hex | null } | null {
  const { from, to, input, block } = transaction
  if (to === null || (to !== portal && !gateways.includes(to))) return null
  // A call that succeeded without a deposit event was not a deposit.
  if (block?.succeeded) return null
  if (input === '0x') return { to: from }
  try {
    const call = decodeFunctionData({ abi: depositAbi, data: input })
    if (call.functionName === 'depositTransaction') return { to: call.args[3] ? null : lower(call.args[0]) }
    return { to: call.args.length === 3 ? lower(call.args[0]) : from }
  } catch {
    return null
  }
}
