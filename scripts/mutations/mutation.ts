import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Lock } from '../generate/field-numbers.ts'
import { fieldMutations, operationMutations, tableMutations } from './rules.ts'
import { type Edit, nodesOf } from './syntax.ts'

/** One change of the contract's meaning: its place, its kind, and a description. */
export type Mutation = Edit & { kind: string; file: string; words: string }

/** Files without declarations of the contract: types, helpers and examples. */
const silent =
  /\.test\.ts$|^(index|operation|operation-tool|tool-table|differences|samples|examples|violation-words)\.ts$/
/** The tools of agents publish a list of their own, `openapi/mcp.json`, which no release is compared with yet. */
const toolsFolder = 'agents/'
const lockPath = 'proto/field-numbers.lock.json'
const tables = ['errors.ts', 'limits.ts']
/** The most characters of a text in a description, and how many of them precede a difference. */
const [longest, shownBefore] = [44, 12]

/** Every mutation that the declarations of a project offer. */
export function mutationsOf(root: string): Mutation[] {
  const folder = join(root, 'src/contract')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !silent.test(basename(name)) && !name.startsWith(toolsFolder))
    .sort()
  const declared = files.flatMap((name) => {
    const [path, text] = [join('src/contract', name), readFileSync(join(folder, name), 'utf8')]
    const rules = tables.includes(basename(name)) ? tableMutations : { ...fieldMutations, ...operationMutations }
    return nodesOf(name, text).flatMap((found) =>
      Object.entries(rules).flatMap(([kind, rule]) =>
        rule(found, text).map((edit) => ({ ...edit, kind, file: path, words: wordsOf(name, text, edit) })),
      ),
    )
  })
  return [...declared, ...numberMutations(root)]
}

/**
 * The requested number of mutations, of each kind in turn. The seed decides which kinds come first, and which of each.
 */
export function chosen(all: readonly Mutation[], most: number, seed: string): Mutation[] {
  const kinds = inOrder([...Map.groupBy(all, ({ kind }) => kind)], ([kind]) => `${seed} ${kind}`)
  const byKind = kinds.map(([, some]) =>
    inOrder(some, ({ kind, file, start, end, to }) => [seed, kind, file, start, end, to].join(' ')),
  )
  const turns = Math.max(...byKind.map(({ length }) => length))
  const inTurn = Array.from({ length: turns }, (_, turn) => byKind.flatMap((some) => some.slice(turn, turn + 1)))
  return inTurn.flat().slice(0, most)
}

/** A random order, the same for the same text. */
function inOrder<T>(all: readonly T[], wordsOf: (one: T) => string): T[] {
  const keyed = all.map((one) => ({ one, key: createHash('sha256').update(wordsOf(one)).digest('hex') }))
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ one }) => one)
}

function wordsOf(name: string, text: string, { start, end, to }: Edit): string {
  const line = text.slice(0, start).split('\n').length
  const [from, other] = apart(text.slice(start, end), to)
  return `${name}:${line} ${from} -> ${to === '' ? 'nothing' : other}`
}

/** Two texts on a line each; long ones are cut around their first difference. */
export function apart(...texts: [string, string]): [string, string] {
  const [from, to] = [texts[0].replaceAll(/\s+/g, ' '), texts[1].replaceAll(/\s+/g, ' ')]
  const differ = [...from].findIndex((letter, index) => letter !== to[index])
  const first = Math.max(0, (differ < 0 ? from.length : differ) - shownBefore)
  const isLong = Math.max(from.length, to.length) > longest
  return isLong ? [short(from, first), short(to, first)] : [from, to]
}

function short(text: string, first: number): string {
  const rest = first === 0 ? text : `...${text.slice(first)}`
  return rest.length > longest ? `${rest.slice(0, longest - 3)}...` : rest
}

/** Changes of the numbers that protobuf fields have: two of a message swapped, and one moved to a new number. */
function numberMutations(root: string): Mutation[] {
  const text = readFileSync(join(root, lockPath), 'utf8')
  const file = JSON.parse(text) as { fields: Lock }
  return Object.entries(file.fields).flatMap(([message, fields]) => {
    const present = Object.entries(fields).filter(([, { removed }]) => removed !== true)
    const [[first, one] = [], [second, other] = []] = present
    if (first === undefined || one === undefined) return []
    const mutation = (kind: string, words: string, changed: Lock[string]): Mutation => {
      const to = { ...file, fields: { ...file.fields, [message]: { ...fields, ...changed } } }
      const place = { file: lockPath, start: 0, end: text.length }
      return { kind, words: `${message}: ${words}`, ...place, to: `${JSON.stringify(to, null, 2)}\n` }
    }
    const number = one.number + 100
    const moved = mutation('field number moved', `${first} to ${number}`, { [first]: { ...one, number } })
    if (second === undefined || other === undefined) return [moved]
    const swapped = { [first]: { ...one, number: other.number }, [second]: { ...other, number: one.number } }
    return [moved, mutation('field numbers swapped', `${first} and ${second}`, swapped)]
  })
}
