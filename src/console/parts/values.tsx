import { signOf } from '../values/decimal.ts'
import { amountText, momentText, shortHash, usdText } from '../values/words.ts'
import { Copy } from './forms.tsx'

/** An amount with its unit, whole on hover. */
export function Amount({ of, unit }: { of: string; unit: string }) {
  return (
    <span title={`${of} ${unit}`}>
      {amountText(of)} {unit}
    </span>
  )
}

/** US dollars; null is a missing price. */
export function Usd({ of }: { of: string | null }) {
  if (of === null) return <span class="quiet">no price</span>
  return <span title={`${of} US dollars`}>{usdText(of)}</span>
}

/** A profit or a loss in US dollars, told apart by sign and colour. */
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

/** A hash or an address: shortened, whole on hover and by its copy button, and a link where it has a page. */
export function Hash({ of, href }: { of: string; href?: string | undefined }) {
  const code = <code title={of}>{shortHash(of)}</code>
  return (
    <span class="line">
      {href === undefined ? code : <a href={href}>{code}</a>} <Copy text={of} />
    </span>
  )
}
