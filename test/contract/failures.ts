import fc, { type Arbitrary } from 'fast-check'
import type { ErrorCode } from '../../src/contract/shared/errors.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'
import { DomainError } from '../../src/domain/core/errors.ts'
import { character } from './arbitrary.ts'

const words = fc.string({ unit: character, maxLength: 60 })
const name = fc.stringMatching(/^[a-z_]{1,20}$/)

/** Any error that the handler of an operation may throw. */
export function failureOf({ errors }: Operation): Arbitrary<DomainError> {
  const code = fc.constantFrom<ErrorCode>(...errors, 'INVALID_ARGUMENT', 'RATE_LIMITED', 'UNAUTHENTICATED')
  const details = fc.record(
    {
      violations: fc.array(fc.record({ path: name, message: words, code: name }, plain), { maxLength: 5 }),
      retryAfterSeconds: fc.option(fc.nat(100_000)),
      metadata: fc.dictionary(name, words, { maxKeys: 5, noNullPrototype: true }),
    },
    { ...plain, requiredKeys: [] },
  )
  return fc.tuple(code, words, details).map(([of, message, more]) => new DomainError(of, message, more))
}

const plain = { noNullPrototype: true } as const
