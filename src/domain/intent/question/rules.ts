import { kinds } from '../../../../generated/intent/words.ts'

/** Terms that have a written definition. */
export const terms = [
  'impermanent',
  'impact',
  'slippage',
  'mev',
  'finality',
  'nonce',
  'allowance',
  'gas',
  'tax',
] as const

/** A kind of question, of `words/questions.txt`. */
export type Question = keyof typeof kinds

/** Every kind, the more special ones first. */
export const questions = Object.keys(kinds) as Question[]

export function isQuestion(topic: string): topic is Question {
  return Object.hasOwn(kinds, topic)
}

/** Classes that stand in any question: they say nothing, or ask for what every answer gives. */
const anywhere: ReadonlySet<string> = new Set(
  'filler in what show now dollars hold pronoun follow greet thanks size bitcoin how when amount count total can claim set mine'.split(
    ' ',
  ),
)
/** A definition is of no moment and of nothing that the caller owns, and a greeting asks nothing. */
const ofMoment: ReadonlySet<string> = new Set(['now', 'mine', 'dollars', 'amount', 'count'])
const strict: ReadonlySet<string> = new Set<Question>(['definition', 'hello', 'thanks'])
/** The name of a question about a token is that of the token; elsewhere it is that of a wallet. */
export const ofToken: ReadonlySet<string> = new Set<Question>(['price', 'risk'])
/** The most words without a meaning where a rule takes a name. */
const mostNames = 1

type Ready = {
  name: Question
  any: readonly (readonly (readonly string[])[])[]
  covers: ReadonlySet<string>
  not: ReadonlySet<string>
}

const ready: readonly Ready[] = questions.map((name) => {
  const { any, may, not } = kinds[name]
  const sets = any.map((one) => one.split(' ').map((alternatives) => alternatives.split('|')))
  return { name, any: sets, covers: new Set([...sets.flat(2), ...may.split(' ')]), not: new Set(not.split(' ')) }
})

/** Words of a text that mean nothing, those of them that stand where a name does, and whether others were misspelt. */
export type Unread = { count: number; names: number; isCorrected: boolean }

/** The kind of question that takes all of a text; null where none does. One name may mean nothing: its answer refuses it. */
export function questionOf(found: ReadonlySet<string>, { count, names, isCorrected }: Unread): Question | null {
  if (count > mostNames || (isCorrected && names < count)) return null
  const classes = new Set([...found, ...(count > 0 ? ['name'] : [])])
  const rule = ready.find(({ name, any, covers, not }) => {
    const isNamed = ofToken.has(name) ? !found.has('token') : names === count
    if (count > 0 && !isNamed) return false
    const isStrict = strict.has(name) && !classes.has('define') && !classes.has('why')
    const isSilent = (one: string) => anywhere.has(one) && !(isStrict && ofMoment.has(one))
    const isTaken = (one: string) => !not.has(one) && (covers.has(one) || one.startsWith('currency ') || isSilent(one))
    return [...classes].every(isTaken) && any.some((set) => set.every((all) => all.some((one) => classes.has(one))))
  })
  return rule?.name ?? null
}

/** Classes of words that say nothing of what a question is about. */
const formal: ReadonlySet<string> = new Set([...anywhere, 'number', 'name'])

export function isSubject(name: string): boolean {
  return !formal.has(name)
}

/** The kinds of questions that share the most with a text, the nearest first. */
export function nearestTo(classes: readonly string[]): Question[] {
  const subjects = classes.filter((name) => !anywhere.has(name))
  const near = ready.flatMap(({ name, any, covers }) => {
    const asked = any.flat(2)
    const shared =
      subjects.filter((one) => covers.has(one)).length + 2 * subjects.filter((one) => asked.includes(one)).length
    return shared < 2 || strict.has(name) ? [] : [{ name, shared }]
  })
  return near.sort((one, other) => other.shared - one.shared).map(({ name }) => name)
}

/** Questions about trades, which may name the sides of one. */
export const readsTrade: ReadonlySet<Question> = new Set<Question>([
  ...(['cancel', 'why_lost', 'trade_status', 'waiting', 'deepest_pool', 'change', 'risk', 'limits'] as const),
])

/** Classes of words that change an earlier question, and those of them that only lead to the change. */
const changing: ReadonlySet<string> = new Set(
  'token time before name chain protocol address by-token by-wallet default'.split(' '),
)
const leading: ReadonlySet<string> = new Set([...anywhere, 'price', 'worth', 'wallet', 'last'])

/** True of words that change a part of a question before them which that question has: `and yesterday?`. */
export function followsUp(classes: readonly string[], unknown: number, { topic }: { topic: string }): boolean {
  const rule = ready.find(({ name }) => name === topic)
  const isPlain = classes.includes('follow') || !classes.includes('filler')
  if (rule === undefined || unknown > mostNames || !isPlain) return false
  const named = [...classes, ...(unknown > 0 ? ['name'] : [])].filter((one) => !leading.has(one))
  const isTaken = (one: string) =>
    one.startsWith('currency ') || (changing.has(one) && rule.covers.has(one === 'before' ? 'time' : one))
  return named.length > 0 && named.every(isTaken)
}

/** The question of a text whose `it` or `that` is a token which was named before it: `and how much is that worth?`. */
export function questionOfToken(classes: readonly string[], unknown: number): Question | null {
  const refers = classes.includes('pronoun') || classes.includes('follow')
  return refers && unknown === 0
    ? questionOf(new Set([...classes, 'token']), { count: 0, names: 0, isCorrected: false })
    : null
}
