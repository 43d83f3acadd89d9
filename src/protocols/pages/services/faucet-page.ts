import type { z } from 'zod'
import type { chainServices } from '../../../contract/chain/services.ts'
import { html, page } from '../page.ts'
import { type Cell, facts, hashCell, timeCell, units } from '../parts.ts'
import type { CaptchaFields } from './captcha.ts'

/** What the page says of the faucet; the amount in wei. */
export type FaucetFacts = {
  amount: bigint
  cooldownSeconds: number
  nativeSymbol: string
  /** False where no key pays. */
  isOn: boolean
  /** Null where claims need no captcha. */
  captcha: CaptchaFields | null
}

type FaucetClaim = z.output<typeof chainServices.faucetClaim.output>

/** The form of a claim, with the address that was sent and why it was refused. */
export function faucetPage(faucet: FaucetFacts, refused?: { address: string; reason: string }): string {
  const { amount, cooldownSeconds, nativeSymbol, captcha, isOn } = faucet
  if (!isOn) return page('Faucet', '<p>The faucet is off. Ask the operator for testnet currency.</p>')
  const terms = `<p>Pays ${html(units(amount, nativeSymbol))} to an address, once in ${duration(cooldownSeconds)}.</p>`
  const reason = refused === undefined ? '' : `<p role="alert"><b>${html(refused.reason)}</b></p>`
  const label = 'Address: 0x and 40 hex digits'
  const input = `<input name="address" maxlength="100" required value="${html(refused?.address ?? '')}" placeholder="${label}" aria-label="${label}">`
  const form = `<form action="/faucet" method="post">${input} ${captcha?.markup ?? ''}<button>Claim</button></form>`
  const programs =
    '<p>Programs claim by <code>POST /faucet/api/claim</code>; the <a href="/docs/guides/wallets#claim-from-the-faucet">guide</a> shows how.</p>'
  return page('Faucet', reason + terms + form + programs)
}

/** The state of one claim. */
export function claimPage(claim: FaucetClaim, nativeSymbol: string): string {
  const { address, txHash, status, amount, createdAt, nextClaimTime, error } = claim
  const rows: [string, Cell][] = [
    ['State', states[status]],
    ['Address', hashCell(address, `/explorer/address/${address}`)],
    ['Amount', units(BigInt(amount), nativeSymbol)],
    ['Payment', txHash === '' ? 'not sent yet' : hashCell(txHash, `/explorer/tx/${txHash}`)],
    ['Claimed', timeCell(new Date(createdAt))],
    ...(nextClaimTime === undefined ? [] : [['Next claim', timeCell(new Date(nextClaimTime))] as [string, Cell]]),
    ...(error === undefined ? [] : [['Error', error] as [string, Cell]]),
  ]
  return page('Faucet claim', `${again}${facts(rows)}`)
}

/** Why the state of a claim, or the faucet itself, cannot be shown. */
export function faucetMessage(message: string): string {
  return page('Faucet', `${again}<p role="alert">${html(message)}</p>`)
}

const again = '<p><a href="/faucet">Claim for another address</a></p>'

const states = {
  queued: 'queued: it is sent as soon as the chain answers',
  pending: 'sent: it waits for its block',
  success: 'paid',
  failed: 'failed',
} as const

/** Seconds in their largest whole unit. */
function duration(seconds: number): string {
  if (seconds % 3_600 === 0) return `${seconds / 3_600} h`
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
}
