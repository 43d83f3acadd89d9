import fc from 'fast-check'
import { expect, test } from 'vitest'
import { growLock, type Lock, reservedOf } from './field-numbers.ts'
import type { Field, Message, Scalar } from './message.ts'

function message(name: string, fields: Record<string, Scalar>): Message {
  const all = Object.entries(fields).map(([json, scalar]): Field => {
    const type = { kind: 'scalar', name: scalar } as const
    const rest = {
      list: 'none',
      choice: false,
      presence: 'required',
      description: undefined,
      deprecated: false,
    } as const
    return { json, name: json, type, ...rest, notes: [] }
  })
  return { name, group: null, fields: all, description: undefined, source: null, sent: false, wraps: 'nothing' }
}

const names = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const types = fc.constantFrom<Scalar>('string', 'bool', 'int32')
/** A state of the contract: some of two messages, with some fields. */
const state = fc.dictionary(fc.constantFrom('M', 'N'), fc.dictionary(names, types), { maxKeys: 2 })

test('no number ever means two things, whatever is added, removed, retyped or brought back', () => {
  fc.assert(
    fc.property(fc.array(state, { minLength: 1, maxLength: 12 }), (history) => {
      const meaning = new Map<string, string>()
      let lock: Lock = {}
      for (const wanted of history) {
        lock = growLock(
          lock,
          Object.entries(wanted).map(([name, fields]) => message(name, fields)),
        )
        for (const [name, fields] of Object.entries(wanted)) {
          const entries = lock[name] ?? {}
          const { numbers, names: reserved } = reservedOf(entries)
          const live = Object.keys(fields).map((field) => entries[field]!.number)
          expect(new Set(live).size).toBe(live.length)
          expect(live.filter((number) => numbers.includes(number))).toEqual([])
          expect(Object.keys(fields).filter((field) => reserved.includes(field))).toEqual([])
          for (const [field, type] of Object.entries(fields)) {
            expect(entries[field]).toMatchObject({ type })
            const place = `${name}.${entries[field]!.number}`
            expect(meaning.get(place) ?? `${field} ${type}`).toBe(`${field} ${type}`)
            meaning.set(place, `${field} ${type}`)
          }
        }
      }
    }),
  )
})

test('growing twice changes nothing, and what others add moves no number', () => {
  fc.assert(
    fc.property(state, fc.dictionary(names, types), (wanted, more) => {
      const messages = Object.entries(wanted).map(([name, fields]) => message(name, fields))
      const lock = growLock({}, messages)
      expect(growLock(lock, messages)).toEqual(lock)
      const { Other: _, ...rest } = growLock(lock, [message('Other', more), ...messages])
      expect(rest).toEqual(lock)
    }),
  )
})

test('a removed field is reserved, and comes back under its number', () => {
  const first = growLock({}, [message('M', { a: 'string', b: 'string' })])
  const without = growLock(first, [message('M', { b: 'string' })])
  expect(reservedOf(without.M!)).toEqual({ numbers: [1], names: ['a'] })
  expect(growLock(without, [message('M', { a: 'string', b: 'string' })])).toEqual(first)
})

test('a rename that is undone leaves the field its number, and the other name reserved', () => {
  const first = growLock({}, [message('M', { a: 'string', b: 'string' })])
  const renamed = growLock(first, [message('M', { c: 'string', b: 'string' })])
  const undone = growLock(renamed, [message('M', { a: 'string', b: 'string' })])
  expect(undone.M).toMatchObject(first.M!)
  expect(reservedOf(undone.M!)).toEqual({ numbers: [3], names: ['c'] })
})

test('a field that gets back a type it had gets back that number, and keeps the other reserved', () => {
  const states = (['string', 'bool', 'string'] as const).map((type) => [message('M', { a: type })])
  const back = states.reduce(growLock, {})
  expect([back.M!.a!.number, reservedOf(back.M!).numbers]).toEqual([1, [2]])
})

test('a message that goes and returns is the same', () => {
  const first = growLock({}, [message('M', { a: 'string' })])
  expect(growLock(growLock(first, []), [message('M', { a: 'string' })])).toEqual(first)
})

test('the range that protobuf keeps is skipped', () => {
  const lock = growLock({ M: { a: { number: 18_999, type: 'string' } } }, [message('M', { a: 'string', b: 'bool' })])
  expect(lock.M!.b!.number).toBe(20_000)
})

test.each([
  ['a number twice', { a: { number: 1, type: 'string' }, b: { number: 1, type: 'bool' } }, 'twice'],
  ['a retired number again', { a: { number: 1, type: 'string', retired: [{ number: 1, type: 'bool' }] } }, 'twice'],
  ['zero', { a: { number: 0, type: 'string' } }, 'invalid number'],
  ['a reserved number', { a: { number: 19_500, type: 'string' } }, 'invalid number'],
  ['half a number', { a: { number: 1.5, type: 'string' } }, 'invalid number'],
])('a lock with %s is refused', (_, fields, reason) => {
  expect(() => growLock({ M: fields }, [])).toThrow(reason)
})
