import { computed, signal } from '@preact/signals'
import type { Chain, SwapInput, Wallet } from '../../../../generated/client/index.d.ts'
import { chains } from '../../state/facts.ts'
import { wallets } from '../../state/wallets.ts'
import { isDecimal, signOf } from '../../values/decimal.ts'

/** The address that stands for the native currency of a chain. */
const native = `0x${'0'.repeat(40)}`

/** What the form says, as text; empty means not chosen yet. It stays while other pages are shown. */
export type Draft = {
  chainId: number | null
  sell: string
  buy: string
  amount: string
  unit: 'token_units' | 'usd'
  slippage: string
  walletRef: string
}

/** An order that can be priced, and the wallet that would trade. */
export type Order = { input: SwapInput; wallet_ref: string }

/** What is wrong with a field of the form, in words. */
export type Wrong = Partial<Record<'sell' | 'buy' | 'amount' | 'slippage', string>>

const empty: Draft = {
  chainId: null,
  sell: '',
  buy: '',
  amount: '',
  unit: 'token_units',
  slippage: '0.5',
  walletRef: '',
}

export const draft = signal(empty)

/** Empties the form. */
export function forgetDraft(): void {
  draft.value = empty
}

/** The chain of the form: the chosen one, or the default. */
export const chain = computed(
  (): Chain | undefined => chains.value.find(({ chain_id }) => chain_id === draft.value.chainId) ?? chains.value[0],
)

/** The wallet of the form: the chosen one, or the first. */
export const wallet = computed(
  (): Wallet | undefined =>
    wallets.value.find(({ wallet_ref }) => wallet_ref === draft.value.walletRef) ?? wallets.value[0],
)

/** The order of the form, or what is wrong with it. An empty field is missing, not wrong. */
export const order = computed((): { order: Order | null; wrong: Wrong } => {
  const { sell, buy, amount, unit, slippage } = draft.value
  const on = chain.value
  const wallet_ref = wallet.value?.wallet_ref
  if (on === undefined || wallet_ref === undefined) return { order: null, wrong: {} }
  const [from, to] = [addressOf(on, sell), addressOf(on, buy)]
  const bps = bpsOf(slippage)
  const wrong: Wrong = {
    ...(sell !== '' && from === null ? { sell: unknownToken } : {}),
    ...(buy !== '' && to === null
      ? { buy: unknownToken }
      : from !== null && from.toLowerCase() === to?.toLowerCase()
        ? { buy: 'Choose another token than the one to sell.' }
        : {}),
    ...(amount !== '' && !isAmount(amount) ? { amount: 'Write a number above zero with a point, such as 0.5.' } : {}),
    ...(bps === null ? { slippage: 'Write percent from 0 to 50 with two places at most, such as 0.5.' } : {}),
  }
  if (Object.keys(wrong).length > 0 || from === null || to === null || bps === null || amount === '')
    return { order: null, wrong }
  const input = {
    chain_id: on.chain_id,
    token_in_address: from,
    token_out_address: to,
    amount_in: amount,
    amount_in_currency: unit,
    slippage_bps: bps,
  } as const
  return { order: { input, wallet_ref }, wrong }
})

const unknownToken = 'No token of this symbol is listed. Choose one, or paste its address.'

/** The address of a token by its symbol, or the address itself; null for anything else. */
function addressOf({ tokens, native_symbol }: Chain, text: string): string | null {
  const name = text.trim().toLowerCase()
  if (/^0x[0-9a-f]{40}$/.test(name)) return text.trim()
  const listed = tokens.find(({ symbol }) => symbol.toLowerCase() === name)
  return listed?.address ?? (name === native_symbol.toLowerCase() ? native : null)
}

function isAmount(text: string): boolean {
  return isDecimal(text) && signOf(text) > 0
}

/** The most slippage that the gateway takes. */
const mostBps = 5_000

/** Percent with at most two places as basis points. */
function bpsOf(percent: string): number | null {
  const [, whole, fraction = ''] = /^(\d{1,3})(?:\.(\d{1,2}))?$/.exec(percent.trim()) ?? []
  const bps = Number(`${whole}${fraction.padEnd(2, '0')}`)
  return whole === undefined || bps > mostBps ? null : bps
}
