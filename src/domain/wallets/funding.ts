import { bookDeposit } from '../books/book-fill.ts'
import { inPages } from '../core/in-pages.ts'
import { referenceText } from '../core/reference.ts'
import type { Chain } from '../ports/chains.ts'
import { nativeToken } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { Outgoing, ReferenceOf } from '../ports/outbox.ts'
import type { FundingState, Wallet } from '../ports/wallets.ts'
import { isDone } from '../sending/advance.ts'
import { isFinal } from '../sending/execution-state.ts'
import { whyReverted } from '../sending/why-reverted.ts'
import { paymentDeadline } from './treasury.ts'

/** Gas for the grant, which transfers four assets. */
const grantGas = 500_000n

/** The pause after the first failed payment. Each further failure doubles it, up to an hour. */
const restMs = 30_000
const longestRestMs = 3_600_000

/**
 * Mined payments that may fail for one wallet before it is not paid again, because each costs the treasury gas. A payment
 * that was never mined cost nothing and does not count.
 */
const maxMinedFailures = 8

type RequestNeeds = Pick<Ports, 'chains' | 'grants' | 'sender' | 'signer'>

/**
 * Sends a wallet its starting money, where the chain grants any. The same payment is sent once, even if called again.
 */
async function requestFunding(ports: RequestNeeds, wallet: Wallet): Promise<void> {
  const { grants, signer, sender } = ports
  const chain = grants === null ? null : ports.chains.find(grants.chainId)
  if (grants === null || chain === null || signer.treasury === null) return
  const legs = [{ kind: 'fund', call: grants.forAccount(wallet.address), gas: grantGas }] as const
  const deadline = await paymentDeadline(chain)
  await sender.send({ chain, from: signer.treasury, reference: referenceOf(wallet), legs, deadline })
}

/** The reference of the current payment; each failed payment has a different one. */
function referenceOf({ id, fundingFailure }: Wallet): ReferenceOf<'wallet'> {
  return { kind: 'wallet', id, failed: fundingFailure?.tries ?? 0 }
}

/** The funding state of a new wallet: `wanted` where the chain grants starting money. */
export function startingState({ grants, signer }: Pick<Ports, 'grants' | 'signer'>): FundingState {
  return grants === null || signer.treasury === null ? 'none' : 'wanted'
}

/** Funds a new wallet at once. A failure is ignored, because `fundWaiting` funds the wallet at the next block. */
export function startFunding(ports: RequestNeeds, wallet: Wallet): void {
  if (wallet.funding === 'wanted') requestFunding(ports, wallet).catch(() => undefined)
}

type WaitingNeeds = RequestNeeds & Pick<Ports, 'clock' | 'outbox' | 'wallets'>

/**
 * Funds the waiting wallets: new ones, those of a process that ended before it paid, and those whose last payment failed
 * and whose pause is over. A failure is reported to `failed` and does not delay the other wallets.
 */
export async function fundWaiting(ports: WaitingNeeds, chain: Chain, failed: (failure: unknown) => void) {
  if (ports.grants?.chainId !== chain.info.id) return
  const now = ports.clock.now()
  const wallets = inPages<Wallet>((last, limit) => ports.wallets.unfunded(now, last?.id ?? 0, limit))
  for await (const wallet of wallets) await fundAgain(ports, wallet).catch(failed)
}

/** Pays unless the previous attempt may still succeed: a reorganisation can undo its failure until its block is final. */
async function fundAgain(ports: WaitingNeeds, wallet: Wallet): Promise<void> {
  const { fundingFailure } = wallet
  if (fundingFailure !== null) {
    const before = { ...referenceOf(wallet), failed: fundingFailure.tries - 1 }
    if (!(await ports.outbox.byReference(before)).every(({ state }) => isFinal(state))) return
    if (wallet.funding === 'failed' && !(await ports.wallets.retryFunding(wallet))) return
  }
  await requestFunding(ports, wallet)
}

export type FundedNeeds = 'clock' | 'outbox' | 'tradingSettings' | 'wallets'

/**
 * The wallet once its starting money has arrived, or as it is after the timeout; a wallet without starting money is
 * returned at once.
 */
export async function whenFunded(ports: Pick<Ports, FundedNeeds>, wallet: Wallet): Promise<Wallet> {
  const timeout = ports.clock.limit(ports.tradingSettings.fundingTimeoutMs)
  let present = wallet
  while ((present.funding === 'wanted' || present.funding === 'sent') && !timeout.aborted) {
    await ports.outbox.changed(referenceOf(present), timeout)
    present = (await ports.wallets.find(wallet.userId, wallet.ref)) ?? present
  }
  return present
}

type FollowNeeds = Pick<Ports, 'clock' | 'grants' | 'ledger' | 'wallets'>

/** Updates the wallet's funding state from its transactions, and books the money once it is mined. */
export async function followFunding(
  ports: FollowNeeds,
  chain: Chain,
  reference: ReferenceOf<'wallet'>,
  transactions: readonly Outgoing[],
  log: (event: Error) => void,
): Promise<void> {
  const wallet = await ports.wallets.load(reference.id)
  if (wallet === null) return
  const key = referenceText(reference)
  const paid = transactions.every(isDone) && transactions.every(({ outcome }) => outcome === 'success')
  if (!paid) {
    await ports.ledger.unbook(key) // a block that is no longer on the chain may have paid it
    // An earlier attempt was counted when it failed.
    if (reference.failed !== referenceOf(wallet).failed) return
    if (transactions.every(isDone)) await noteFailure(ports, chain, wallet, transactions, log)
    else if (wallet.funding === 'wanted' && transactions.some(({ attempts }) => attempts.length > 0))
      await ports.wallets.setFunding(wallet.id, 'sent')
    return
  }
  const amounts = ports.grants?.amounts ?? []
  const position = { userId: wallet.userId, walletAddress: wallet.address, chainId: chain.info.id }
  const deposits = amounts.map(({ token, amount }) => ({ token: token === 'native' ? nativeToken : token, amount }))
  const block = transactions.findLast(({ blockNumber }) => blockNumber !== null)?.blockNumber ?? null
  await bookDeposit(ports, chain, key, position, deposits, block)
  if (wallet.funding !== 'done') await ports.wallets.setFunding(wallet.id, 'done')
}

/** Counts the failed attempt, and stores and logs when the next one is due. */
async function noteFailure(
  ports: FollowNeeds,
  chain: Chain,
  wallet: Wallet,
  transactions: readonly Outgoing[],
  log: (event: Error) => void,
): Promise<void> {
  const tries = (wallet.fundingFailure?.tries ?? 0) + 1
  const mined = (wallet.fundingFailure?.mined ?? 0) + (transactions.some(({ outcome }) => outcome !== null) ? 1 : 0)
  const rest = Math.min(restMs * 2 ** (tries - 1), longestRestMs)
  const retryAt = mined < maxMinedFailures ? new Date(ports.clock.now().getTime() + rest) : null
  const why = await whyUnpaid(ports, chain, transactions)
  await ports.wallets.setFunding(wallet.id, 'failed', { tries, mined, why, retryAt })
  const next = retryAt === null ? 'it is not paid again' : `it is paid again after ${retryAt.toISOString()}`
  log(new Error(`The starting money of wallet ${wallet.id} did not arrive (try ${tries}), and ${next}: ${why}`))
}

async function whyUnpaid({ clock }: FollowNeeds, chain: Chain, transactions: readonly Outgoing[]): Promise<string> {
  const reverted = transactions.find(({ outcome }) => outcome === 'reverted')
  if (reverted?.hash != null)
    return `The payment was mined and reverted: ${(await whyReverted(clock, chain, reverted.hash)).reason}.`
  return transactions.find(({ error }) => error !== null)?.error ?? 'The payment was not mined.'
}
