import MiniSearch from 'minisearch'
import { expect, test } from 'vitest'
import { bestFirst, indexOptions } from '../../src/console/documents/ranking.ts'
import { searchIndex } from './build.ts'
import { allFound, guideParts } from './found.ts'

const root = new URL('../../', import.meta.url)
const index = MiniSearch.loadJSON(searchIndex(root), indexOptions)

test.each([
  ['cancel', '/docs/guides/trading#cancel-a-trade'],
  ['cancel a trade', '/docs/guides/trading#cancel-a-trade'],
  ['csv', '/docs/guides/metrics#as-a-table'],
  ['429', '/docs/guides/rules#RATE_LIMITED'],
  ['RATE_LIMITED', '/docs/guides/rules#RATE_LIMITED'],
  ['paging', '/docs/guides/rules#paging'],
  ['next page', '/docs/guides/rules#paging'],
  ['api key', '/docs/guides/accounts#let-a-session-do-less'],
  ["agent's key", '/docs/guides/accounts#let-a-session-do-less'],
  ['slippage', '/docs/guides/trading#quote-and-execute'],
  ['replicas', '/docs/guides/deployment'],
  ['running two replicas', '/docs/guides/deployment'],
  ['idempotency', '/docs/guides/rules#repeats'],
  ['eth_getLogs', '/docs/rpc#eth_getLogs'],
  ['getlogs', '/docs/rpc#eth_getLogs'],
  ['HTTP_PORT', '/docs/guides/settings#HTTP_PORT'],
  ['assess_risk', '/docs/mcp#assess_risk'],
  ['trading.listExecutions', '/docs/api#trading.listExecutions'],
])('%s leads to %s first', (text, address) => {
  expect(bestFirst(index, text)[0]?.id).toBe(address)
})

test('every guide, operation, method, tool, setting and error is found by an address of its own', () => {
  const found = allFound(root)
  const counts = Map.groupBy(found, ({ kind }) => kind)
  expect([...counts.keys()].toSorted()).toEqual(['MCP tool', 'error', 'guide', 'method', 'operation', 'setting'])
  expect(counts.get('error')?.length).toBe(20)
  expect(new Set(found.map(({ id }) => id)).size).toBe(found.length)
})

test('a comment adds words to its section, and what stands in code is no heading', () => {
  const parts = guideParts('x', '# A\n\nText\n\n## B c\n\n<!-- search: other word -->\n```sh\n# no heading\n```\n')
  expect(parts.map(({ id, words }) => [id, words])).toEqual([
    ['/docs/guides/x', ''],
    ['/docs/guides/x#b-c', 'other word'],
  ])
})
