import type { Change, Level } from './change.ts'

/** Facts that callers read but do not act on. */
const words = /\.title$/
/** Tables in which a smaller number is better for callers. */
const shorterIsWider = /\.windowSeconds$/

/** The differences of the tables that all operations share: errors, limits, rates. A smaller limit is breaking. */
export function tableChanges(before: Record<string, unknown>, after: Record<string, unknown>): Change[] {
  const [was, is] = [new Map(leaves(before, '')), new Map(leaves(after, ''))]
  const paths = [...new Set([...was.keys(), ...is.keys()])]
  return paths.flatMap((path): Change[] => {
    const [old, now] = [was.get(path), is.get(path)]
    if (old === now) return []
    const [subject = '', ...rest] = path.split('.')
    const text = `\`${rest.join('.')}\` is ${now ?? 'gone'}, was ${old ?? 'none'}`
    return [{ subject, level: levelOf(path, old, now), text }]
  })
}

function levelOf(path: string, old: unknown, now: unknown): Level {
  if (old === undefined) return 'added'
  if (words.test(path)) return 'changed'
  if (typeof old !== 'number' || typeof now !== 'number' || path.startsWith('errors.')) return 'breaking'
  return now > old !== shorterIsWider.test(path) ? 'changed' : 'breaking'
}

function leaves(value: unknown, path: string): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [[path, value]]
  return Object.entries(value).flatMap(([key, part]) => leaves(part, path === '' ? key : `${path}.${key}`))
}
