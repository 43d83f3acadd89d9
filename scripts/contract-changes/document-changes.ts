import type { Change, Ends, Level } from './change.ts'
import { type Documents, type Published, publishedIn } from './published.ts'
import { type Effect, endChanges, type Placeless, schemaChanges } from './schema-changes.ts'

/** The differences between the documents of two versions. */
export function documentChanges(before: Documents, after: Documents): Change[] {
  const [was, is] = [publishedIn(before), publishedIn(after)]
  const found = [...new Set([...was.keys(), ...is.keys()])].flatMap((key): Change | Change[] => {
    const [old, now] = [was.get(key), is.get(key)]
    if (old !== undefined && now !== undefined) return operationChanges(old, now)
    const text = (words: string, { addresses = [] }: Partial<Published> = {}) => [words, ...addresses].join(': ')
    return now !== undefined
      ? { subject: now.id, level: 'added', text: text('is new', now) }
      : { subject: old?.id ?? key, level: 'breaking', text: text('is gone', old), promised: old?.end }
  })
  const { tools: _, ...old } = before.openapi['x-trident']
  const { tools: __, ...now } = after.openapi['x-trident']
  // An operation that both documents describe changes once.
  const all = [...found, ...tableChanges(old, now)].map((change): [string, Change] => [JSON.stringify(change), change])
  return [...new Map(all).values()]
}

function operationChanges(before: Published, after: Published): Change[] {
  const say = (level: Level, text: string, { promised, announced }: Ends = {}): Change => {
    return { subject: before.id, level, text, promised, announced }
  }
  const moved = before.addresses.filter((one) => !after.addresses.includes(one))
  const more = after.addresses.filter((one) => !before.addresses.includes(one))
  const forms = Object.entries(before.forms).filter(([name, form]) => after.forms[name] !== form)
  const reordered = before.order.some((name, index) => after.order[index] !== name)
  const [promised, announced] = [before.end ?? null, after.end ?? null]
  const schemas = (part: 'sent' | 'answered', whole: string, breaks: Effect) =>
    schemaChanges(before[part], after[part]).map((one) =>
      say(levelOf(one, breaks), `${whole}${one.path && `, \`${one.path}\``}: ${one.text}`, one),
    )
  return [
    ...moved.map((one) => say('breaking', `is no longer at ${one}`, { promised })),
    ...more.map((one) => say('added', `is at ${one}`)),
    ...forms.map(([name, form]) => say('breaking', `${name} is ${after.forms[name]}, was ${form}`)),
    ...(reordered
      ? [say('breaking', `takes ${after.order.join(', ')} in this order, was ${before.order.join(', ')}`)]
      : []),
    ...endChanges(promised, announced).map((one) => say(levelOf(one, 'moves'), one.text, one)),
    ...factChanges(before, after).map(({ level, text }) => say(level, text)),
    ...schemas('sent', 'what is sent', 'narrows'),
    ...schemas('answered', 'the answer', 'widens'),
  ]
}

/** An input may only widen, an output may only narrow. */
function levelOf({ effect, isNew }: Placeless, breaks: Effect): Level {
  if (effect === 'deprecates') return 'deprecated'
  if (effect === breaks || effect === 'moves') return 'breaking'
  return isNew ? 'added' : 'changed'
}

/** A caller must expect new codes at any time; a removed one changes the response to a present request. */
function factChanges({ facts: before }: Published, { facts: after }: Published): Omit<Change, 'subject'>[] {
  const codes = ({ errors }: Published['facts']) => (Array.isArray(errors) ? errors.map(String) : [])
  const [old, now] = [codes(before), codes(after)]
  const names = ['kind', 'auth', 'rate', 'trpc', 'onDisconnect', 'secret'].filter(
    (name) => before[name] !== after[name],
  )
  const say = (level: Level, text: string) => ({ level, text })
  return [
    ...old.filter((code) => !now.includes(code)).map((code) => say('breaking', `does not answer ${code} any more`)),
    ...now.filter((code) => !old.includes(code)).map((code) => say('added', `may answer ${code}`)),
    ...names.map((name) => {
      const level = name === 'auth' && after.auth === 'none' ? 'changed' : 'breaking'
      return say(level, `${name} is ${after[name]}, was ${before[name]}`)
    }),
  ]
}

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
    return [{ subject, level: tableLevel(path, old, now), text }]
  })
}

function tableLevel(path: string, old: unknown, now: unknown): Level {
  if (old === undefined) return 'added'
  if (words.test(path)) return 'changed'
  if (typeof old !== 'number' || typeof now !== 'number' || path.startsWith('errors.')) return 'breaking'
  return now > old !== shorterIsWider.test(path) ? 'changed' : 'breaking'
}

function leaves(value: unknown, path: string): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [[path, value]]
  return Object.entries(value).flatMap(([key, part]) => leaves(part, path === '' ? key : `${path}.${key}`))
}
