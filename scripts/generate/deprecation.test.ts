import { expect, test } from 'vitest'
import { z } from 'zod'
import { deprecated } from '../../src/contract/shared/deprecation.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'
import { clientFiles } from './client.ts'
import { growLock } from './field-numbers.ts'
import { buildModel } from './model.ts'
import { openapiFile } from './openapi.ts'
import { openrpcFile } from './openrpc.ts'
import { protoFiles } from './proto.ts'
import { sampleContract } from './sample-contract.ts'

const end = { since: '0.2.0', on: '2026-12-01', sunset: '2027-06-30' } as const
const words = (use: string) => `Deprecated since 0.2.0 and may be removed from 2027-06-30 on: use ${use}.`
const { buy, find } = sampleContract.shop
const note = z
  .string()
  .describe('A note')
  .meta(deprecated({ ...end, use: 'labels' }))
  .optional()
const labels = buy.input.shape.labels
const shop: Record<string, Operation> = {
  buy: { ...buy, deprecated: { ...end, use: 'shop.find' }, input: buy.input.extend({ note }) },
  find: {
    ...find,
    deprecated: { ...end, use: 'shop.list' },
    input: find.input.extend({ note, labels }),
    rpc: { method: 'shop_find', params: ['thingName', 'note', 'labels'] },
  },
}
const model = buildModel({ shop: { ...shop, list: sampleContract.shop.list } })

test('the OpenAPI document marks the operation, its answer and the field', () => {
  const { paths, components } = JSON.parse(openapiFile(model, '0.2.0'))
  const described = paths['/shop/buy'].post
  expect(described).toMatchObject({ deprecated: true, 'x-trident': { deprecated: { use: 'shop.find' } } })
  expect(described.responses['200'].headers).toMatchObject({ deprecation: {}, sunset: {} })
  const field = { type: 'string', description: 'A note', deprecated: true, 'x-deprecated': { ...end, use: 'labels' } }
  expect(components.schemas.ShopBuyInput.properties.note).toEqual(field)
  expect(components.schemas.ShopBuyInput.properties.mode).not.toHaveProperty('deprecated')
})

test('the OpenRPC document marks the method and the parameter', () => {
  const [method] = JSON.parse(openrpcFile(model, '0.2.0')).methods
  expect(method).toMatchObject({ name: 'shop_find', deprecated: true })
  expect(method.params).toMatchObject([{ name: 'thingName' }, { name: 'note', deprecated: true }, { name: 'labels' }])
})

test('the .proto marks the rpc and the field', () => {
  const text = protoFiles(model, growLock({}, model.messages)).get('trident/v1/shop.proto')
  expect(text).toContain('returns (SampleThing) {\n    option deprecated = true;\n  }')
  expect(text).toMatch(/optional string note = \d+ \[deprecated = true\];/)
  expect(text?.replaceAll(/\s*\/\/ /g, ' ')).toContain(words('labels'))
})

test('the types of a client mark the procedure and the field', () => {
  const types = [...clientFiles(model, '0.2.0').values()].join('\n')
  expect(types).toContain(`* @deprecated ${words('shop.find')}`)
  expect(types).toContain(`* @deprecated ${words('labels')}`)
})

test.each([
  [
    'of an operation that does not exist',
    { ...end, use: 'shop.sell' },
    "use: 'shop.sell' is neither another operation",
  ],
  ['of nothing but itself', { ...end, use: 'shop.count' }, "use: 'shop.count' is neither another operation"],
  ['that comes too soon', { ...end, sunset: '2027-03-01', use: 'shop.list' } as const, 'is not half a year after'],
  [
    'on a day that no month has',
    { ...end, sunset: '2027-06-31', use: 'shop.list' } as const,
    'is not half a year after',
  ],
  ['on no day', { ...end, on: '2026-13-01', use: 'shop.list' } as const, "on: '2026-13-01' is not a day"],
])('an end %s is refused where the contract is generated', (_, received, reason) => {
  const count = { ...sampleContract.shop.count, deprecated: received }
  expect(() => buildModel({ shop: { ...sampleContract.shop, count } })).toThrow(reason)
})

test('a deprecated field whose replacement does not exist next to it is refused by the generator', () => {
  const lost = z.object({ mode: z.string().meta(deprecated({ ...end, use: 'manner' })) })
  const peek = { ...sampleContract.shop.peek, input: lost }
  expect(() => buildModel({ shop: { ...sampleContract.shop, peek } })).toThrow(
    "shop.peek input.mode is deprecated, but its use: 'manner'",
  )
})
