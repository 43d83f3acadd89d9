import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { operations } from '../contract/index.ts'
import { bounds } from '../contract/shared/limits.ts'
import { DomainError } from '../domain/core/errors.ts'
import { parseInput } from './validation.ts'

const schema = z.strictObject({
  name: z.string().max(5),
  nested: z.strictObject({ count: z.int32().max(3) }).optional(),
  free: z.unknown().optional(),
})

function refused(input: unknown, by: z.ZodObject = schema): DomainError {
  try {
    parseInput(by, input)
  } catch (error) {
    if (error instanceof DomainError) return error
    throw error
  }
  throw new Error('was taken')
}

describe('a refusal names the field', () => {
  test.each<[string, unknown, string, string]>([
    ['a missing one', {}, 'name', 'is required'],
    ['a nested one', { name: 'a', nested: { count: 4 } }, 'nested.count', 'must be at most 3'],
    ['an unknown one', { name: 'a', other: 1 }, 'other', 'is not a field of this request'],
    ['an unknown nested one', { name: 'a', nested: { count: 1, x: 1 } }, 'nested.x', 'is not a field of this request'],
    [
      'one that is nested too deep',
      { name: 'a', free: deep(17) },
      `free${'.a'.repeat(16)}`,
      'is nested more than 16 deep',
    ],
    ['a text with a NUL', { name: 'a\0' }, 'name', 'contains NUL'],
    ['a lone surrogate', { name: 'a', free: [{ x: '\ud83d' }] }, 'free.0.x', 'a lone surrogate'],
    ['a long name', { name: 'a', free: { ['x'.repeat(201)]: 1 } }, 'free', 'has a field name of more than 200'],
    ['a number for a text', { name: 1 }, 'name', 'must be a text'],
    ['a long text', { name: 'abcdef' }, 'name', 'must have at most 5 characters'],
    ['too many values', { name: 'a', free: Array(501).fill(0) }, 'free', 'more than 500 values'],
  ])('%s', (_case, input, path, message) => {
    const { code, details } = refused(input)
    expect(code).toBe('INVALID_ARGUMENT')
    expect(details.violations).toContainEqual(
      expect.objectContaining({ path, message: expect.stringContaining(message) }),
    )
  })
})

test('free JSON of 16 levels is accepted', () => {
  expect(parseInput(schema, { name: 'a', free: deep(16) })).toMatchObject({ name: 'a' })
})

test('a refusal is small, however large and invalid the input', () => {
  const input = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, index) => [`field-${index}-${'x'.repeat(300)}`, 1]),
  )
  const violations = refused(input).details.violations ?? []
  expect(violations.length).toBeLessThanOrEqual(bounds.violationsListed)
  expect(Buffer.byteLength(JSON.stringify(violations))).toBeLessThan(2 * bounds.violationBytes)
})

test('validation refuses every invalid input of every operation, and never fails otherwise', () => {
  fc.assert(
    fc.property(fc.constantFrom(...operations()), fc.jsonValue({ maxDepth: 20 }), ([, operation], input) => {
      try {
        parseInput(operation.input, input)
      } catch (error) {
        expect(error).toBeInstanceOf(DomainError)
      }
    }),
    { numRuns: 500 },
  )
})

function deep(levels: number): unknown {
  return levels === 0 ? 1 : { a: deep(levels - 1) }
}
