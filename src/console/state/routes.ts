import { computed, signal } from '@preact/signals'

/** The pages of the console, in the order of its navigation, by the first part of the hash. */
export const places = { chat: 'Chat', trade: 'Trade', portfolio: 'Portfolio', trades: 'Trades' } as const

/** Pages that the navigation shows apart. */
const otherPlaces = { waiting: 'Agents' } as const

/** The title of every page. */
export const titles = { ...places, ...otherPlaces }

export type Place = keyof typeof titles

const hash = signal(location.hash)
addEventListener('hashchange', () => {
  hash.value = location.hash
})

/** The page that the hash names, and the rest of its path: `#/trades/ex_1` is the trade `ex_1`. */
export const route = computed((): { place: Place; rest: string } => {
  const [name = '', ...rest] = hash.value.replace(/^#\/?/, '').split('/')
  return { place: isPlace(name) ? name : 'trade', rest: decoded(rest.join('/')) }
})

/** The address of the page of a trade. */
export function tradeHash(executionId: string): string {
  return `#/trades/${encodeURIComponent(executionId)}`
}

/** The text of a part of an address; nothing where it is mistyped. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return ''
  }
}

function isPlace(name: string): name is Place {
  return Object.hasOwn(titles, name)
}
