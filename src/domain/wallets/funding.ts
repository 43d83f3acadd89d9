import { bookDeposit } from '../books/book-fill.ts'
import { inPages } from '../core/in-pages.ts'
import { referenceText } from '../core/reference.ts'
import { timeLimit } from '../core/time-limit.ts'
import type { Chain } from '../ports/chains.ts'
import { nativeToken } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { Outgoing, ReferenceOf } from '../ports/outbox.ts'
import type { FundingState, Wallet } from '../ports/wallets.ts'
import { isDone } from '../sending/advance.ts'
import { isFinal } from '../sending/execution-state.ts'
import { whyReverted } from '../sending/why-reverted.ts'
import { paymentDeadline } from './treasury.ts'

/** Enough for the grant, which moves four assets. */
const grantGas = 500_000n

/** The first rest after a payment that failed; each is twice the one before, up to an hour. */
const restMs = 30_000
const longestRestMs = 3_600_000

/**
 * Payments to one wallet that may fail in a block before no other is made: each costs the treasury gas. What no block
 * took cost nothing, and is tried again until the treasury has money.
 */
const mostMined = 8

type RequestNeeds = Pick<Ports, 'chains' | 'grants' | 'sender' | 'signer'>

/** Sends a wallet its starting money, where the chain gives any; asked again for the same try it sends nothing. */
async function requestFunding(ports: RequestNeeds, wallet: Wallet): Promise<void> {
  const { grants, signer, sender } = ports
  const chain = grants === null ? null : ports.chains.find(grants.chainId)
  if (grants === null || chain === null || signer.treasury === null) return
  const legs = [{ kind: 'fund', call: grants.forAccount(wallet.address), gas: grantGas }] as const
  const deadline = await paymentDeadline(chain)
  await sender.send({ chain, from: signer.treasury, reference: referenceOf(wallet), legs, deadline })
}

/** The reference of the current payment; each payment that failed has one of its own. */
function referenceOf({ id, fundingFailure }: Wallet): ReferenceOf<'wallet'> {
  return { kind: 'wallet', id, failed: fundingFailure?.tries ?? 0 }
}

/** What a new wallet begins with: money on its way where the chain gives any. */
export function startingState({ grants, signer }: Pick<Ports, 'grants' | 'signer'>): FundingState {
  return grants === null || signer.treasury === null ? 'none' : 'wanted'
}

/** Funds a new wallet at once; the sender would find it at the next block, and makes good what fails here. */
export function startFunding(ports: RequestNeeds, wallet: Wallet): void {
  if (wallet.funding === 'wanted') requestFunding(ports, wallet).catch(() => undefined)
}

type WaitingNeeds = RequestNeeds & Pick<Ports, 'clock' | 'outbox' | 'wallets'>

/**
 * Funds the wallets that wait for it: those just made, those of a process that died before, and those whose last payment
 * failed and had its rest. What fails for one is told to `failed` and holds up no other.
 */
export async function fundWaiting(ports: WaitingNeeds, chain: Chain, failed: (failure: unknown) => void) {
  if (ports.grants?.chainId !== chain.info.id) return
  const now = ports.clock.now()
  const wallets = inPages<Wallet>((last, limit) => ports.wallets.unfunded(now, last?.id ?? 0, limit))
  for await (const wallet of wallets) await fundAgain(ports, wallet).catch(failed)
}

/** Pays unless the try before may still come to pass after all: a block that leaves the chain takes its failure along. */
async function fundAgain(ports: WaitingNeeds, wallet: Wallet): Promise<void> {
  const { fundingFailure } = wallet
  if (fundingFailure !== null) {
    const before = { ...referenceOf(wallet), failed: fundingFailure.tries - 1 }
    if (!(await ports.outbox.byReference(before)).every(({ state }) => isFinal(state))) return
    if (wallet.funding === 'failed' && !(await ports.wallets.retryFunding(wallet))) return
  }
  await requestFunding(ports, wallet)
}

/** A block or two: how long a call that needs a wallet's money waits for its starting money. */
const patienceMs = 8_000

/** The wallet once its starting money is there, or as it is when patience ends; a wallet without any is answered at once. */
export async function whenFunded(ports: Pick<Ports, 'outbox' | 'wallets'>, wallet: Wallet): Promise<Wallet> {
  const patience = timeLimit(patienceMs)
  let present = wallet
  while ((present.funding === 'wanted' || present.funding === 'sent') && !patience.aborted) {
    await ports.outbox.changed(referenceOf(present), patience)
    present = (await ports.wallets.find(wallet.userId, wallet.ref)) ?? present
  }
  return present
}

type FollowNeeds = Pick<Ports, 'clock' | 'grants' | 'ledger' | 'wallets'>

/** Keeps the wallet's funding state in step with its transaction, and books the money once it is mined. */
export async function followFunding(
  ports: FollowNeeds,
  chain: Chain,
  reference: ReferenceOf<'wallet'>,
  legs: readonly Outgoing[],
  log: (event: Error) => void,
): Promise<void> {
  const wallet = await ports.wallets.load(reference.id)
  if (wallet === null) return
  const key = referenceText(reference)
  const paid = legs.every(isDone) && legs.every(({ outcome }) => outcome === 'success')
  if (!paid) {
    await ports.ledger.unbook(key) // a block that left the chain may have paid it
    // An earlier try that failed was counted when it did.
    if (reference.failed !== referenceOf(wallet).failed) return
    if (legs.every(isDone)) await noteFailure(ports, chain, wallet, legs, log)
    else if (wallet.funding === 'wanted' && legs.some(({ attempts }) => attempts.length > 0))
      await ports.wallets.setFunding(wallet.id, 'sent')
    return
  }
  const amounts = ports.grants?.amounts ?? []
  const place = { userId: wallet.userId, walletAddress: wallet.address, chainId: chain.info.id }
  const deposits = amounts.map(({ token, amount }) => ({ token: token === 'native' ? nativeToken : token, amount }))
  await bookDeposit(ports, chain, key, place, deposits)
  if (wallet.funding !== 'done') await ports.wallets.setFunding(wallet.id, 'done')
}

/** Counts the try, and says when the next one is due. */
async function noteFailure(
  ports: FollowNeeds,
  chain: Chain,
  wallet: Wallet,
  legs: readonly Outgoing[],
  log: (event: Error) => void,
): Promise<void> {
  const tries = (wallet.fundingFailure?.tries ?? 0) + 1
  const mined = (wallet.fundingFailure?.mined ?? 0) + (legs.some(({ outcome }) => outcome !== null) ? 1 : 0)
  const rest = Math.min(restMs * 2 ** (tries - 1), longestRestMs)
  const retryAt = mined < mostMined ? new Date(ports.clock.now().getTime() + rest) : null
  const why = await whyUnpaid(chain, legs)
  await ports.wallets.setFunding(wallet.id, 'failed', { tries, mined, why, retryAt })
  const next = retryAt === null ? 'it is not paid again' : `it is paid again after ${retryAt.toISOString()}`
  log(new Error(`The starting money of wallet ${wallet.id} did not arrive (try ${tries}), and ${next}: ${why}`))
}

async function whyUnpaid(chain: Chain, legs: readonly Outgoing[]): Promise<string> {
  const reverted = legs.find(({ outcome }) => outcome === 'reverted')
  if (reverted?.hash != null)
    return `The payment was mined and reverted: ${(await whyReverted(chain, reverted.hash)).reason}.`
  return legs.find(({ error }) => error !== null)?.error ?? 'The payment was not mined.'
}
