import { type BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { timestampInput } from '../../src/contract/shared/primitives.ts'
import { routerOf } from './runtime/procedures.ts'
import { fromTimestamp, fromTopics, present, toTimestamp, toTopics } from './runtime/values.ts'
import { decode, encode } from './runtime/wire.ts'

test('every moment that a timestamp can say comes back, to the millisecond', () => {
  const moment = fc.date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(moment, (date) => {
      const sent = toTimestamp(date.toISOString())
      expect(sent.nanos).toBeGreaterThanOrEqual(0)
      expect(fromTimestamp(sent)).toBe(date.toISOString())
    }),
  )
})

test('an offset is counted in, and parts of a millisecond are dropped', () => {
  expect(toTimestamp('2026-03-01T01:00:00+01:00')).toEqual(toTimestamp('2026-03-01T00:00:00Z'))
  expect(fromTimestamp({ seconds: -1n, nanos: 999_999_999 })).toBe('1969-12-31T23:59:59.999Z')
})

test.each([
  [{ seconds: 0n, nanos: -1 }],
  [{ seconds: 0n, nanos: 1_000_000_000 }],
  [{ seconds: 253_402_300_800n, nanos: 0 }],
  [{ seconds: -62_135_596_801n, nanos: 0 }],
  [{ seconds: 2n ** 63n - 1n, nanos: 0 }],
])('%o is no moment, and becomes no time', (timestamp) => {
  expect(timestampInput.safeParse(fromTimestamp(timestamp)).success).toBe(false)
})

test('a text that is not a time cannot be sent', () => {
  expect(() => toTimestamp('soon')).toThrow(RangeError)
})

test('topics come back as they were, save that a list of one is its member', () => {
  const hash = fc.string({ minLength: 1 })
  const topic = fc.oneof(fc.constant(null), hash, fc.array(hash, { minLength: 2 }))
  fc.assert(fc.property(fc.array(topic), (topics) => void expect(fromTopics(toTopics(topics))).toEqual(topics)))
  expect(fromTopics(toTopics([['a'], []]))).toEqual(['a', null])
})

test('what is absent has no key, what is null or empty has one', () => {
  expect(Object.keys(present({ a: undefined, b: null, c: '', d: 0 }))).toEqual(['b', 'c', 'd'])
})

const textStub = {
  encode: (text: string) => new BinaryWriter().string(text),
  decode: (reader: BinaryReader) => reader.string(),
}

test('a message is read to its last byte, and its text is UTF-8', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      (text) => void expect(decode(textStub, encode(textStub, text))).toBe(text),
    ),
  )
  expect(() => decode(textStub, Buffer.concat([encode(textStub, 'x'), Buffer.from([0])]))).toThrow(RangeError)
  expect(() => decode(textStub, Buffer.from([1, 0xff]))).toThrow()
})

test('a mark at the front of a text is a part of it', () => {
  expect(decode(textStub, encode(textStub, '\ufeffx'))).toBe('\ufeffx')
})

test('an operation may be called as any function is', () => {
  const router = routerOf(
    { 'a.call': { kind: 'query', resume: null } },
    { call: async () => null, open: async () => (async function* () {})() },
    {},
  )
  expect(Object.keys(router._def.procedures)).toEqual(['a.call'])
})
