import type { Chain } from '../ports/chains.ts'
import { DomainError } from './errors.ts'

/** Members that read nothing and return at once. */
const immediate: ReadonlySet<string> = new Set<keyof Chain>(['onBlock', 'revocation', 'fillOf'])

/**
 * The chain with a time limit: once the signal aborts, every read rejects with DEADLINE_EXCEEDED, pending ones at once.
 * Work whose node hangs therefore ends, and changes nothing afterwards.
 */
export function chainWithin(chain: Chain, time: AbortSignal): Chain {
  const members = Object.entries(chain).map(([name, member]) => [
    name,
    typeof member === 'function' && !immediate.has(name) ? bounded(chain.info.name, member, time) : member,
  ])
  return Object.fromEntries(members) as Chain // the same members with the same results
}

// biome-ignore lint/complexity/noBannedTypes: it wraps every function of a chain
function bounded(name: string, read: Function, time: AbortSignal) {
  const late = () =>
    new DomainError('DEADLINE_EXCEEDED', `The chain ${name} took too long to respond. Try again in a moment.`)
  return (...given: unknown[]): Promise<unknown> => {
    // Rejected and not thrown: a caller that reads several things at once would leave the others unhandled.
    if (time.aborted) return Promise.reject(late())
    const result: Promise<unknown> = read(...given)
    return new Promise((resolve, reject) => {
      const expire = () => reject(late())
      time.addEventListener('abort', expire, { once: true })
      result.then(resolve, reject).finally(() => time.removeEventListener('abort', expire))
    })
  }
}
