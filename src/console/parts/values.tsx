import type { ComponentChildren } from 'preact'
import { signOf } from '../values/decimal.ts'
import { amountText, momentText, priceText, shortHash, usdText, wholeAmountText } from '../values/words.ts'
import { Copy } from './forms.tsx'

type AmountProps = { of: string; unit: string; show?: 'nearest' | 'down' | 'whole' }

/** An amount with its unit: rounded, with all its digits on hover, or whole. */
export function Amount({ of, unit, show = 'nearest' }: AmountProps) {
  return (
    <span title={`${of} ${unit}`}>
      {show === 'whole' ? wholeAmountText(of) : amountText(of, show)} {unit}
    </span>
  )
}

/** US dollars; null is a missing price. */
export function Usd({ of }: { of: string | null }) {
  if (of === null) return <span class="quiet">no price</span>
  return <span title={`${of} US dollars`}>{usdText(of)}</span>
}

/** The price of a unit in US dollars; null is a missing price. */
export function Price({ of }: { of: string | null }) {
  if (of === null) return <span class="quiet">no price</span>
  return <span title={`${of} US dollars`}>{priceText(of)}</span>
}

/** A profit or a loss in US dollars, distinguished by sign and colour. */
export function Profit({ of }: { of: string | null }) {
  if (of === null) return <span class="quiet">no price</span>
  const sign = signOf(of)
  return (
    <span class={['loss', '', 'gain'][sign + 1]} title={`${of} US dollars`}>
      {sign > 0 ? '+' : ''}
      {usdText(of)}
    </span>
  )
}

/** A moment, with its zone. */
export function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} class="line">
      {momentText(at)}
    </time>
  )
}

/** A link out of the console, to a tab of its own: what the page holds in memory stays. */
function ForeignLink({ href, children }: { href: string; children: ComponentChildren }) {
  return (
    <a href={href} target="_blank" rel="noopener">
      {children}
    </a>
  )
}

/** A hash or an address: shortened, whole on hover and by its copy button, and a link where it has a page. */
export function Hash({ of, href }: { of: string; href?: string | undefined }) {
  const code = <code title={of}>{shortHash(of)}</code>
  return (
    <span class="line">
      {href === undefined ? code : <ForeignLink href={href}>{code}</ForeignLink>} <Copy text={of} />
    </span>
  )
}
