import { expect, test } from 'vitest'
import library from '../../../node_modules/@grpc/grpc-js/package.json' with { type: 'json' }

// See whether the new version has public ways, or still the members that `library-internals.ts` uses; then change this.
test('the internals in use are those of the version that they were read in', () => {
  expect(library.version).toBe('1.14.7')
})
