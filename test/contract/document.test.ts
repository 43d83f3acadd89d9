import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { jsonSchemas } from '../../scripts/generate/json-schema.ts'
import { defOf } from '../../scripts/generate/schema.ts'
import { operations } from '../../src/contract/index.ts'
import type { Violation } from '../../src/contract/shared/errors.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'
import { wrongChecksum } from '../../src/contract/shared/primitives.ts'
import { schemaAt, unwrapped } from '../../src/contract/shared/schema-parts.ts'
import { DomainError } from '../../src/domain/core/errors.ts'
import { parseInput } from '../../src/gateway/validation.ts'
import { arbitraryOf } from './arbitrary.ts'
import { shareOf } from './property-settings.ts'
import { spoiledOf } from './spoiled.ts'

/**
 * The inputs of REST as its document describes them: they take what the gateway takes, but for other spellings of a time, and
 * refuse what it refuses.
 */

const bound = operations().filter(([, { http }]: readonly [string, Operation]) => http !== undefined)
const { components, inputs } = jsonSchemas(bound)
const ajv = new Ajv2020({ strict: false, allErrors: true })
ajv.addFormat('date-time', (text) => z.iso.datetime({ offset: true }).safeParse(text).success)
ajv.addFormat('uuid', (text) => z.uuid().safeParse(text).success)
for (const width of ['int32', 'int64', 'double']) ajv.addFormat(width, true) // bounds stand beside it
ajv.addSchema({ $id: 'document', components: { schemas: Object.fromEntries(components) } })

/** The check of an operation's input by the document. */
function documentOf(id: string) {
  const text = JSON.stringify(inputs.get(id)).replaceAll('"#/', '"document#/')
  return ajv.compile(JSON.parse(text))
}

function violationsOf({ input: schema, values }: Operation, input: unknown): readonly Violation[] {
  try {
    parseInput(schema, input, { values })
    return []
  } catch (error) {
    if (error instanceof DomainError) return error.details.violations ?? []
    throw error
  }
}

/** Rules over several fields, which generators of clients do not take in a schema, by the operation and what they say. */
const overFields: Readonly<Record<string, readonly RegExp[]>> = {
  'trading.assessRisk': [/^quote_id (is required|must be left out)/, /^input is required with quote/],
  'trading.execute': [/^(confirm|wallet_ref|idempotency_key) (must be true|is required) for a real trade/],
  'trading.getExecution': [/^execution_id send execution_id or idempotency_key/],
  'trading.setWalletPolicy': [/^unlimited (must not be true|name at least one)/],
  'operator.haltTrading': [/^id (is required unless|must be left out)/],
  'operator.resumeTrading': [/^id (is required unless|must be left out)/],
}

/** What no keyword says of one value: a checksum, all values together, and texts within free JSON or unknown fields. */
function isBeyondKeywords({ input: schema }: Operation, input: unknown, { path, message, code }: Violation): boolean {
  if (message === wrongChecksum || code === 'too_deep' || code === 'too_many') return true
  const keys = path === '' ? [] : path.split('.')
  const value = keys.reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[key], input)
  if (typeof value === 'string' && !value.isWellFormed()) return true
  if (code !== 'unstorable') return false
  const described = unwrapped(schemaAt(schema, keys))
  return described === undefined || defOf(described).type === 'unknown'
}

/** Fields whose form handlers check, after what they name was looked up. */
const later = /\/(after_id|cursor|last_event_id|tool_name)$/

/** The values with zeros in the place of all digits, and with the first item of each list twice. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, part: unknown) => {
    if (Array.isArray(part)) return part.length === 0 ? part : [part[0], part[0]]
    return typeof part === 'string' && /^(0x[0-9a-f]+|[\d.]+)$/i.test(part) ? part.replaceAll(/[1-9a-f]/gi, '0') : part
  })
}

const count = { taken: 0, refused: 0, beyond: 0 }
afterAll(() => console.log(`${count.taken} inputs taken, ${count.refused} refused, ${count.beyond} by rules beyond it`))

test.each(bound)('%s', (id, operation: Operation) => {
  const check = documentOf(id)
  const valid = arbitraryOf(operation.input)
  const both = fc.oneof(valid, valid.map(plain), { weight: 4, arbitrary: spoiledOf(operation.input, valid) })
  const property = fc.property(both as fc.Arbitrary<z.core.util.JSONType>, (sent) => {
    // As JSON carries it.
    const input: unknown = JSON.parse(JSON.stringify(sent))
    const violations = violationsOf(operation, input)
    if (violations.length === 0) {
      count.taken += 1
      check(input)
      const stricter = check.errors?.filter(
        ({ instancePath, keyword }) => keyword !== 'format' && !later.test(instancePath),
      )
      expect(stricter ?? []).toEqual([])
      return
    }
    count.refused += 1
    if (!check(input)) return
    count.beyond += 1
    const unsaid = violations.filter(
      (one) =>
        !isBeyondKeywords(operation, input, one) &&
        !overFields[id]?.some((rule) => rule.test(`${one.path} ${one.message}`)),
    )
    expect(unsaid).toEqual([])
  })
  fc.assert(property, shareOf(8))
})
