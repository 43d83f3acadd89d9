import { expect, test } from 'vitest'
import { z } from 'zod'
import { deprecated } from '../../src/contract/shared/deprecation.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'
import { buildModel, type Groups } from '../generate/model.ts'
import { openapiFile } from '../generate/openapi.ts'
import { openrpcFile } from '../generate/openrpc.ts'
import { sampleContract } from '../generate/sample-contract.ts'
import { documentChanges, tableChanges } from './document-changes.ts'
import { faultsOf, section, withSection } from './release.ts'

const { buy, count, find } = sampleContract.shop
const end = { since: '0.2.0', on: '2026-12-01', sunset: '2027-06-30' } as const

function documentsOf(contract: Groups) {
  const model = buildModel(contract)
  return { openapi: JSON.parse(openapiFile(model, '0.1.0')), openrpc: JSON.parse(openrpcFile(model, '0.1.0')) }
}

/** What the documents say where these operations of the shop are others. */
function changesWith(others: Record<string, unknown>) {
  const shop = { ...sampleContract.shop, ...others } as Record<string, Operation>
  const kept = Object.fromEntries(Object.entries(shop).filter(([, operation]) => operation !== undefined))
  const changes = documentChanges(documentsOf(sampleContract), documentsOf({ ...sampleContract, shop: kept }))
  return changes.map(({ subject, level, text }) => `${subject} ${level}: ${text}`)
}

const order = buy.input.shape.order
test.each<[string, Record<string, unknown>, string[]]>([
  ['nothing', {}, []],
  [
    'an operation more',
    { again: { ...count, http: { method: 'GET', path: '/again' } } },
    ['shop.again added: is new: GET /again'],
  ],
  ['an operation less', { count: undefined }, ['shop.count breaking: is gone: GET /shop/count']],
  [
    'another path',
    { count: { ...count, http: { method: 'GET', path: '/n' } } },
    ['shop.count breaking: is no longer at GET /shop/count', 'shop.count added: is at GET /n'],
  ],
  ['a token', { count: { ...count, auth: 'user' } }, ['shop.count breaking: auth is user, was none']],
  ['a code more and one less', { find: { ...find, errors: ['NOT_FOUND'] } }, ['shop.find added: may answer NOT_FOUND']],
  [
    'another name of a method',
    { find: { ...find, rpc: { ...find.rpc, method: 'shop_look' } } },
    ['shop.find breaking: is no longer at shop_find', 'shop.find added: is at shop_look'],
  ],
  [
    'less to send',
    { buy: { ...buy, input: buy.input.extend({ order: order.extend({ count: z.int32().min(1).max(8) }) }) } },
    ['shop.buy breaking: what is sent, `body.order.count`: maximum is 8, was 9'],
  ],
  [
    'more to send',
    { buy: { ...buy, input: buy.input.extend({ order: order.extend({ note: z.string().optional() }) }) } },
    ['shop.buy added: what is sent, `body.order.note`: is new'],
  ],
  [
    'less in the answer',
    {
      buy: {
        ...buy,
        output: buy.output.omit({ name: true }).meta({ id: 'SampleLess' }),
        example: { ...buy.example, output: { parts: [], either: ['0x1'], owner: null } },
      },
    },
    ['shop.buy breaking: the answer, `name`: is gone'],
  ],
  [
    'announced ends',
    {
      count: { ...count, deprecated: { ...end, use: 'shop.list' } },
      find: {
        ...find,
        input: find.input.extend({ thingName: z.string().meta(deprecated({ ...end, use: 'shop.list' })) }),
      },
    },
    [
      'shop.count deprecated: is deprecated since 0.2.0 and may be removed from 2027-06-30 on: use shop.list.',
      'shop.find deprecated: what is sent, `thingName`: is deprecated since 0.2.0 and may be removed from 2027-06-30 on: use shop.list.',
    ],
  ],
])('%s', (_, others, expected) => {
  expect(changesWith(others)).toEqual(expected)
})

test('a number of a table that falls takes away, and so does a longer window', () => {
  const rates = { chat: { limit: 20, windowSeconds: 60, per: 'account' } }
  const levels = (chat: object) =>
    tableChanges({ rates }, { rates: { chat: { ...rates.chat, ...chat } } }).map(({ level }) => level)
  expect(
    [{ limit: 19 }, { limit: 21 }, { windowSeconds: 61 }, { windowSeconds: 59 }, { per: 'key' }].map(levels),
  ).toEqual([['breaking'], ['changed'], ['breaking'], ['changed'], ['breaking']])
  expect(tableChanges({ errors: { GONE: { grpc: 5 } } }, { errors: { GONE: { grpc: 6 } } })).toMatchObject([
    { level: 'breaking' },
  ])
})

test('a removal is accepted only after its announced date', () => {
  const note = z
    .string()
    .optional()
    .meta(deprecated({ ...end, use: 'count' }))
  const announced = documentsOf({
    ...sampleContract,
    shop: {
      ...sampleContract.shop,
      count: { ...count, deprecated: { ...end, use: 'shop.list' } },
      buy: { ...buy, input: buy.input.extend({ order: order.extend({ note }) }) },
    } as Record<string, Operation>,
  })
  const { count: _, ...others } = sampleContract.shop as Record<string, Operation>
  const now = documentsOf({ ...sampleContract, shop: others })
  const faultsOn = (day: string, before = announced) =>
    faultsOf({ was: '0.2.0', is: '1.0.0', day, changes: documentChanges(before, now) })
  expect(faultsOn('2027-06-30')).toEqual([])
  expect(faultsOn('2027-06-29')).toEqual([
    '`shop.buy`: what is sent, `body.order.note`: is gone, but was announced to stay until 2027-06-30.',
    '`shop.count`: is gone: GET /shop/count, but was announced to stay until 2027-06-30.',
  ])
  expect(faultsOn('2099-01-01', documentsOf(sampleContract))).toEqual([
    '`shop.count`: is gone: GET /shop/count, but its end was not announced.',
  ])
})

test('a path changes only after the announced end of its operation', () => {
  const at = (path: '/m' | '/n', others = {}) =>
    documentsOf({ shop: { ...sampleContract.shop, count: { ...count, http: { method: 'GET', path }, ...others } } })
  const faultsFrom = (before: ReturnType<typeof documentsOf>) =>
    faultsOf({ was: '0.2.0', is: '1.0.0', day: end.sunset, changes: documentChanges(before, at('/n')) })
  expect(faultsFrom(at('/m', { deprecated: { ...end, use: 'shop.list' } }))).toEqual([])
  expect(faultsFrom(at('/m'))).toEqual(['`shop.count`: is no longer at GET /m, but its end was not announced.'])
})

test('an announced date is not moved earlier', () => {
  const ending = (received: object | undefined) => {
    const thingName = received === undefined ? z.string() : z.string().meta({ deprecated: true, deprecation: received })
    const others = {
      find: { ...find, input: find.input.extend({ thingName }) },
      count: { ...count, deprecated: received },
    }
    return documentsOf({ shop: { ...sampleContract.shop, ...others } as Record<string, Operation> })
  }
  const [first, later] = [
    { ...end, use: 'shop.list' },
    { ...end, sunset: '2027-12-31', use: 'shop.list' },
  ]
  const levels = (before: object | undefined, after: object | undefined) =>
    documentChanges(ending(before), ending(after)).map(({ level }) => level)
  expect(levels(first, first)).toEqual([])
  expect(levels(first, later)).toEqual(['changed', 'changed'])
  expect(levels(later, first)).toEqual(['breaking', 'breaking'])
  expect(levels(first, { ...first, use: 'shop.buy' })).toEqual(['changed', 'changed'])
  expect(levels(first, undefined)).toEqual(['changed', 'changed'])
  const changes = documentChanges(ending(later), ending(first))
  expect(faultsOf({ was: '0.2.0', is: '1.0.0', day: end.sunset, changes })).toHaveLength(2)
  expect(faultsOf({ was: '0.2.0', is: '1.0.0', day: later.sunset, changes })).toEqual([])
})

test('the newest section of the changelog is on top', () => {
  const first = withSection('', section('0.1.0', []))
  const second = withSection(first, section('0.2.0', [{ subject: 'a.b', level: 'added', text: 'is new' }]))
  expect(second.match(/^#+ .*/gm)).toEqual(['# Changes of the contract', '## 0.2.0', '### Added', '## 0.1.0'])
  expect(withSection(second, '## 0.3.0')).toContain(second.slice(second.indexOf('## 0.2.0')))
})
