import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isLong } from '../../test/sized.ts'
import { apart, chosen, mutationsOf } from './mutation.ts'
import { nodesOf } from './syntax.ts'

const root = join(import.meta.dirname, '../..')
const all = mutationsOf(root)

test('the contract offers several places for each kind', () => {
  const kinds = Map.groupBy(all, ({ kind }) => kind)
  expect([...kinds].filter(([, places]) => places.length < 5)).toEqual([])
  expect(kinds.size).toBe(32)
})

test('a seed chooses the same ones again, of each kind alike', () => {
  const some = chosen(all, 60, 'a')
  expect(
    chosen([...all].reverse(), 60, 'a')
      .map(({ words }) => words)
      .sort(),
  ).toEqual(some.map(({ words }) => words).sort())
  expect(chosen(all, 60, 'b')).not.toEqual(some)
  const counts = [...Map.groupBy(some, ({ kind }) => kind).values()].map(({ length }) => length)
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
})

test.runIf(isLong)('a dozen mutations for each seed cover every kind over the seeds', () => {
  const seeds = Array.from({ length: 40 }, (_, index) => `seed ${index}`)
  const tried = new Set(seeds.flatMap((seed) => chosen(all, 12, seed).map(({ kind }) => kind)))
  expect([...new Set(all.map(({ kind }) => kind))].filter((kind) => !tried.has(kind))).toEqual([])
})

test('what may be absent by another name is not made optional', () => {
  const made = all.filter(({ kind }) => kind === 'made optional')
  expect(made.length).toBeGreaterThan(100)
  expect(made.filter(({ to }) => !/^\w+: z\b/.test(to)).map(({ words }) => words)).toEqual([])
})

test('what a mutation makes is another text that still parses', () => {
  for (const { file, start, end, to, words } of chosen(all, 300, 'c')) {
    const text = readFileSync(join(root, file), 'utf8')
    const mutated = text.slice(0, start) + to + text.slice(end)
    expect(mutated, words).not.toBe(text)
    if (file.endsWith('.ts')) nodesOf(file, mutated)
    else JSON.parse(mutated)
  }
})

test('the description of a mutation shows where its two sides differ', () => {
  const shared = 'z.string().describe("What was sold, in units of the token in")'
  expect(apart(`${shared}.min(1)`, `${shared}.min(2)`)).toEqual(['...en in").min(1)', '...en in").min(2)'])
  expect(apart('a\n  b', 'a c')).toEqual(['a b', 'a c'])
  for (const { words } of all) {
    const [from, to] = words.slice(words.indexOf(' ') + 1).split(' -> ')
    expect(from, words).not.toBe(to)
  }
})
