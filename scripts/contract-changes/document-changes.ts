import type { Change, Ends, Level } from './change.ts'
import { endChanges } from './end-changes.ts'
import { type Documents, type Published, publishedIn } from './published.ts'
import type { Effect, Placeless, SchemaChange } from './schema.ts'
import { schemaChanges } from './schema-changes.ts'
import { tableChanges } from './table-changes.ts'

/** The differences between the documents of two versions. */
export function documentChanges(before: Documents, after: Documents): Change[] {
  const [was, is] = [publishedIn(before), publishedIn(after)]
  const found = [...new Set([...was.keys(), ...is.keys()])].flatMap((key) => {
    const [old, now] = [was.get(key), is.get(key)]
    if (old === undefined || now === undefined) return now === undefined ? gone(old) : added(now)
    return operationChanges(old, now)
  })
  const { tools: _, ...old } = before.openapi['x-trident']
  const { tools: __, ...now } = after.openapi['x-trident']
  return unique([...found, ...tableChanges(old, now)])
}

function gone(old: Published | undefined): Change[] {
  if (old === undefined) return []
  return [{ subject: old.id, level: 'breaking', text: ['is gone', ...old.addresses].join(': '), promised: old.end }]
}

function added({ id, addresses }: Published): Change[] {
  return [{ subject: id, level: 'added', text: ['is new', ...addresses].join(': ') }]
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
  return [
    ...moved.map((one) => say('breaking', `is no longer at ${one}`, { promised })),
    ...more.map((one) => say('added', `is at ${one}`)),
    ...forms.map(([name, form]) => say('breaking', `${name} is ${after.forms[name]}, was ${form}`)),
    ...(reordered
      ? [say('breaking', `takes ${after.order.join(', ')} in this order, was ${before.order.join(', ')}`)]
      : []),
    ...endChanges(promised, announced).map((one) => say(levelOf(one, 'moves'), one.text, one)),
    ...factChanges(before, after).map(({ level, text }) => say(level, text)),
    ...schemaChanges(before.sent, after.sent).map((one) =>
      say(levelOf(one, 'narrows'), sentence(one, 'what is sent'), one),
    ),
    ...schemaChanges(before.answered, after.answered).map((one) =>
      say(levelOf(one, 'widens'), sentence(one, 'the answer'), one),
    ),
  ]
}

/** An input may only widen, an output may only narrow. */
function levelOf({ effect, isNew }: Placeless, breaks: Effect): Level {
  if (effect === 'deprecates') return 'deprecated'
  if (effect === breaks || effect === 'moves') return 'breaking'
  return isNew ? 'added' : 'changed'
}

function sentence({ path, text }: SchemaChange, whole: string): string {
  return path === '' ? `${whole}: ${text}` : `${whole}, \`${path}\`: ${text}`
}

/** A caller must expect new codes at any time; a removed one changes the response to a present request. */
function factChanges({ facts: before }: Published, { facts: after }: Published): Omit<Change, 'subject'>[] {
  const codes = (facts: Record<string, unknown>) => (Array.isArray(facts.errors) ? facts.errors.map(String) : [])
  const names = ['kind', 'auth', 'rate', 'trpc', 'onDisconnect', 'secret'].filter(
    (name) => before[name] !== after[name],
  )
  return [
    ...codes(before).flatMap((code) =>
      codes(after).includes(code) ? [] : [{ level: 'breaking' as const, text: `does not answer ${code} any more` }],
    ),
    ...codes(after).flatMap((code) =>
      codes(before).includes(code) ? [] : [{ level: 'added' as const, text: `may answer ${code}` }],
    ),
    ...names.map((name) => ({
      level: name === 'auth' && after.auth === 'none' ? ('changed' as const) : ('breaking' as const),
      text: `${name} is ${after[name]}, was ${before[name]}`,
    })),
  ]
}

function unique(changes: Change[]): Change[] {
  return [...new Map(changes.map((change) => [JSON.stringify(change), change])).values()]
}
