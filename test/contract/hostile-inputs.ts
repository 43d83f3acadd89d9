import type { z } from 'zod'
import { defOf, type Schema, unwrap } from '../../scripts/generate/schema.ts'
import { bounds } from '../../src/contract/shared/limits.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'

/** A value that no schema of an input takes. */
const wrong = Symbol.for('wrong').description as string
const wrongFor = (schema: Schema): unknown => (['string', 'enum', 'literal'].includes(defOf(schema).type) ? 1 : wrong)

/** Broken entries of an item that is repeated: fewer than end the reading of one. */
const fewInside = bounds.violationsListed - 1

/**
 * Broken inputs of an operation that hold as many values as it takes: at each list, each record and each object with a
 * fixed set of names, full of what is broken there or in the parts below.
 */
export function hostileInputs({ input, values = bounds.usualValues }: Pick<Operation, 'input' | 'values'>): unknown[] {
  return [...hostile(input, values)]
}

function* hostile(schema: Schema, budget: number): Generator<unknown> {
  const { inner } = unwrap(schema)
  const def = defOf(inner)
  if (def.type === 'object') yield* hostileObjects(def, budget)
  else if (def.type === 'array') yield* hostileLists(inner, def.element, budget)
  else if (def.type === 'record') yield* hostileRecords(def, budget)
  else if (def.type === 'union') for (const option of def.options) yield* hostile(option, budget)
  else if (def.type === 'pipe') yield* hostile(def.in, budget)
  else yield wrongFor(inner)
}

function* hostileObjects({ shape }: z.core.$ZodObjectDef, budget: number): Generator<unknown> {
  yield Object.fromEntries(
    named(
      budget,
      (index) => `unknown${index}`,
      () => 1,
    ),
  )
  for (const [name, field] of Object.entries(shape))
    for (const value of hostile(field, budget - 1)) yield { [name]: value }
}

function* hostileLists(list: Schema, element: Schema, budget: number): Generator<unknown> {
  const most = Math.min(budget, Number(list._zod.bag.maximum ?? budget))
  yield Array(most).fill(wrongFor(unwrap(element).inner))
  yield Array(budget).fill(wrongFor(unwrap(element).inner))
  for (const item of hostile(element, fewInside)) yield Array(Math.min(most, share(budget))).fill(item)
}

function* hostileRecords({ keyType, valueType }: z.core.$ZodRecordDef, budget: number): Generator<unknown> {
  yield Object.fromEntries(
    named(
      budget,
      (index) => `no name ${index}`,
      () => 1,
    ),
  )
  yield Object.fromEntries(
    named(
      Math.min(budget, 1_000),
      (index) => `no name ${index}`,
      () => 1,
    ),
  )
  const good = nameOf(keyType)
  for (const value of hostile(valueType, fewInside))
    yield Object.fromEntries(named(Math.min(1_000, share(budget)), good, () => value))
}

/** How many items of some values each a budget has room for. */
const share = (budget: number) => Math.max(1, Math.floor(budget / (fewInside + 2)))

const named = (count: number, nameAt: (index: number) => string, valueAt: (index: number) => unknown) =>
  Array.from({ length: Math.max(0, count) }, (_, index) => [nameAt(index), valueAt(index)] as const)

/** Makes names that a record takes: addresses, hashes or any text. */
function nameOf(keyType: Schema): (index: number) => string {
  const forms = [40, 64].map((digits) => (index: number) => `0x${index.toString(16).padStart(digits, '0')}`)
  return forms.find((form) => (keyType as z.ZodType).safeParse(form(1)).success) ?? ((index) => `name${index}`)
}
