import type { NodeObject } from '../ports/node.ts'
import type { LogFilter } from './log-range.ts'

/** Whether a log matches the addresses and topics of a filter. The block range is not checked. */
export function matches({ address, topics }: Pick<LogFilter, 'address' | 'topics'>, log: NodeObject): boolean {
  if (address !== undefined && !isOneOf([address].flat(), log.address)) return false
  const found = log.topics as readonly string[]
  if ((topics?.length ?? 0) > found.length) return false
  return (topics ?? []).every((wanted, index) => {
    const choices = [wanted].flat()
    // An empty position matches any topic, as null does.
    return wanted === null || choices.length === 0 || isOneOf(choices, found[index])
  })
}

function isOneOf(choices: readonly unknown[], value: unknown): boolean {
  const sought = String(value).toLowerCase()
  return choices.some((choice) => String(choice).toLowerCase() === sought)
}
