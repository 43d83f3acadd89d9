import type { Chain } from '../ports/chains.ts'
import { DomainError } from './errors.ts'

/**
 * The chain for one piece of work that may take so long: once the signal aborts, each question rejects with
 * DEADLINE_EXCEEDED, one under way at once. So work whose node hangs ends, and changes nothing after.
 */
export function chainWithin(chain: Chain, time: AbortSignal): Chain {
  const members = Object.entries(chain).map(([name, member]) => [
    name,
    typeof member === 'function' ? bounded(chain.info.name, member, time) : member,
  ])
  return Object.fromEntries(members) as Chain // the same members, each answering the same
}

// biome-ignore lint/complexity/noBannedTypes: whatever a chain has
function bounded(name: string, ask: Function, time: AbortSignal) {
  const late = () =>
    new DomainError('DEADLINE_EXCEEDED', `The chain ${name} took too long to answer; try again in a moment.`)
  return (...given: unknown[]): unknown => {
    if (time.aborted) throw late()
    const answer: unknown = ask(...given)
    if (!(answer instanceof Promise)) return answer
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(late())
      time.addEventListener('abort', giveUp, { once: true })
      answer.then(resolve, reject).finally(() => time.removeEventListener('abort', giveUp))
    })
  }
}
