import type { Chain } from '../ports/chains.ts'
import { DomainError } from './errors.ts'

type ReturningAtOnce = {
  [Name in keyof Chain]: Chain[Name] extends (...given: never[]) => infer Result
    ? Result extends Promise<unknown>
      ? never
      : Name
    : never
}[keyof Chain]

/** Members that read nothing. A new one that returns no promise does not compile until it is listed. */
const immediate: Record<ReturningAtOnce, true> = {
  upstreams: true,
  onBlock: true,
  onReorganised: true,
  revocation: true,
  decodedCall: true,
  fillOf: true,
}

type Read = (...given: unknown[]) => Promise<unknown>

/**
 * The chain with a time limit: once the signal aborts, every read rejects with DEADLINE_EXCEEDED, pending ones at once.
 * Work whose node hangs therefore ends, and changes nothing afterwards.
 */
export function chainWithin(chain: Chain, time: AbortSignal): Chain {
  const members = Object.entries(chain).map(([name, member]) => [
    name,
    typeof member === 'function' && !Object.hasOwn(immediate, name)
      ? bounded(chain.info.name, member as Read, time)
      : member,
  ])
  return Object.fromEntries(members) as Chain // the same members with the same results
}

function bounded(name: string, read: Read, time: AbortSignal): Read {
  const late = () =>
    new DomainError('DEADLINE_EXCEEDED', `The chain ${name} took too long to respond. Try again in a moment.`)
  return (...given) => {
    // Rejected and not thrown: a caller that reads several things at once would leave the others unhandled.
    if (time.aborted) return Promise.reject(late())
    const result = read(...given)
    return new Promise((resolve, reject) => {
      const expire = () => reject(late())
      time.addEventListener('abort', expire, { once: true })
      result.then(resolve, reject).finally(() => time.removeEventListener('abort', expire))
    })
  }
}
