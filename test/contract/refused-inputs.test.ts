import { describe, expect, test } from 'vitest'
import { operations } from '../../src/contract/index.ts'
import { bounds } from '../../src/contract/shared/limits.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'
import { DomainError } from '../../src/domain/core/errors.ts'
import { parseInput } from '../../src/gateway/validation.ts'
import { drawn } from '../sized.ts'
import { hostileInputs } from './hostile-inputs.ts'

/** A copy of an input that counts how often one of its values is read. */
function counting(input: unknown, count: { reads: number }): unknown {
  if (typeof input !== 'object' || input === null) return input
  const copy = Array.isArray(input)
    ? input.map((item) => counting(item, count))
    : Object.fromEntries(Object.entries(input).map(([name, value]) => [name, counting(value, count)]))
  return new Proxy(copy, {
    get(target, name) {
      count.reads += 1
      return Reflect.get(target, name)
    },
  })
}

/** The refusal of an input and the issues that the schema raised; null where the input is taken. */
function refusalOf({ input: schema, values }: Operation, input: unknown): DomainError | null {
  try {
    parseInput(schema, input, { values })
    return null
  } catch (error) {
    if (error instanceof DomainError) return error
    throw error
  }
}

/** An issue of a part may stand beside the last ones of the whole. */
const mostIssues = 2 * bounds.violationsListed

describe.each(drawn(operations(), 40))('%s', (_id, operation: Operation) => {
  const most = operation.values ?? bounds.usualValues

  test('reads each value of a refused input a few times, and finds few faults in it', () => {
    for (const input of hostileInputs(operation)) {
      const issues = operation.input.safeParse(input).error?.issues ?? []
      const shown = JSON.stringify(input).slice(0, 200)
      expect(issues.length, shown).toBeLessThanOrEqual(mostIssues)
      const count = { reads: 0 }
      const refusal = refusalOf(operation, counting(input, count))
      // A list is read by its length, too. Names are read without their values.
      expect(count.reads, shown).toBeLessThanOrEqual(4 * most + 400)
      expect(refusal?.details.violations?.length ?? 0, shown).toBeLessThanOrEqual(bounds.violationsListed)
    }
  })

  test('refuses an input of more values than it takes before it checks one', () => {
    const input = { anything: Array(most).fill(0) }
    const refusal = refusalOf(operation, input)
    expect(refusal?.details.violations).toEqual([
      expect.objectContaining({ path: 'anything', message: expect.stringContaining(`more than ${most} values`) }),
    ])
  })
})
