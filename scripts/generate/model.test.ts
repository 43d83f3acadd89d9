import { expect, test } from 'vitest'
import { z } from 'zod'
import { operation } from '../../src/contract/shared/operation.ts'
import { growLock } from './field-numbers.ts'
import { buildModel, procedureKind } from './model.ts'
import { protoFiles } from './proto.ts'
import { sampleContract } from './sample-contract.ts'

const model = buildModel(sampleContract)
const protos = protoFiles(model, growLock({}, model.messages))
const shop = protos.get('trident/v1/shop.proto') ?? ''
const types = protos.get('trident/v1/types.proto') ?? ''

test('outputs that are not objects have fixed wrappers', () => {
  expect(shop).toContain('message CountResponse {\n  int64 value = 1;\n}')
  expect(shop).toContain('message FindResponse {\n  SampleThing sample_thing = 1;\n}')
  expect(shop).toContain('message ListResponse {\n  repeated SamplePart items = 1;\n}')
  expect(shop).toContain('message PeekResponse {\n  google.protobuf.Value value = 1;\n}')
  expect(shop).toContain('message ListRequest {}')
})

test('a request says what is absent, and what closed sets and defaults are', () => {
  expect(shop).toContain('// Required.\n  int32 count = 1;')
  expect(shop).toContain('// Required.\n  optional int64 ref = 2;')
  expect(shop).toContain('// How. Default: slow.\n  BuyRequestMode mode = 2;')
  expect(shop).toContain('  google.protobuf.Timestamp since = 3;')
  expect(shop).toContain('  google.protobuf.Struct extra = 4;')
  expect(shop).toContain('  map<string, string> labels = 5;')
  // A keyword of Python is no name of a field, and stays the name in JSON.
  expect(shop).toContain('  repeated string from_value = 6 [json_name = "from"];')
  expect(shop).toContain('  repeated TopicPosition topics = 7;')
})

test('nested objects are named after their place, shared ones by their id, fields in snake case', () => {
  expect(shop).toContain('message BuyRequestOrder {')
  expect(types).toContain('message SamplePart {\n  string part_name = 1;')
  expect(types).toContain(
    'message SampleThingEither {\n  oneof list {\n    HashList hashes = 1;\n    SamplePartList full = 2;\n  }\n}',
  )
  expect(types).toContain('message SampleThingTable {\n  repeated string values = 1;\n}')
})

test('a method name that two services have is led by the service in the later one', () => {
  expect(protos.get('trident/v1/news.proto')).toContain(
    'rpc Count(NewsServiceCountRequest) returns (stream NewsServiceCountResponse);',
  )
})

test('a GET is a query, and so is what changes nothing; the rest are mutations, streams that are read subscriptions', () => {
  const { shop: group, news } = sampleContract
  const still = { ...group.find, readOnly: true } as const
  expect([group.count, group.buy, group.find, still, news.count].map(procedureKind)).toEqual([
    'query',
    'mutation',
    'mutation',
    'query',
    'subscription',
  ])
})

function contractOf(input: z.ZodObject, output: z.ZodType = z.object({})) {
  const rest = { kind: 'unary', summary: 'x', auth: 'none', rate: 'default', errors: [] } as const
  return { bad: { one: operation({ ...rest, input, output, example: { input: {}, output: {} } }) } }
}

const twin = () => z.object({ a: z.string() }).meta({ id: 'SampleTwin' })

test.each([
  ['a transform', z.object({ at: z.string().transform(Number) }), 'bad.one input.at'],
  ['a date', z.object({ at: z.date() }), 'bad.one input.at'],
  ['a bare union', z.object({ at: z.union([z.string(), z.number()]) }), 'bad.one input.at'],
  ['a list of lists', z.object({ at: z.array(z.array(z.string())) }), 'bad.one input.at'],
  ['a list of what may be null', z.object({ at: z.array(z.string().nullable()) }), 'bad.one input.at'],
  ['a number set', z.object({ at: z.literal([1, 2]) }), 'bad.one input.at'],
  ['a 32-bit number without sign', z.object({ at: z.uint32() }), 'bad.one input.at'],
  ['optional and nullable at once', z.object({ at: z.string().nullish() }), 'bad.one input.at'],
  ['a nullable list', z.object({ at: z.array(z.string()).nullable() }), 'bad.one input.at'],
  ['an object with other fields', z.object({ in: z.looseObject({ a: z.string() }) }), 'bad.one input.in'],
  ['names that meet in snake case', z.object({ aB: z.string(), a_b: z.string() }), 'bad.one input'],
  ['two shapes of one name', z.object({ a: twin(), b: twin() }), 'bad.one input.b'],
  ['an unknown hint', z.object({ at: z.string().meta({ proto: 'colour' }) }), 'bad.one input.at'],
])('%s is refused with its place', (_, input, place) => {
  expect(() => buildModel(contractOf(input))).toThrow(place)
})
