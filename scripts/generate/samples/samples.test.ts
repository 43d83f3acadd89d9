import { expect, test } from 'vitest'
import { z } from 'zod'
import { operation } from '../../../src/contract/shared/operation.ts'
import { buildModel } from '../model.ts'
import { samplesOf } from './samples.ts'

/** The samples of an operation that takes one of everything. */
function samples(text: string) {
  const input = z.strictObject({
    id: z.uuid(),
    text: z.string().max(100),
    count: z.int32().min(0).max(9).optional(),
    on: z.boolean(),
    kind: z.enum(['first', 'second']).meta({ message: 'Kind' }),
    arguments: z.record(z.string(), z.unknown()),
  })
  const declared = operation({
    kind: 'unary',
    summary: 'Take one of everything',
    auth: 'user',
    rate: 'default',
    http: { method: 'POST', path: '/api/v1/things/{id}' },
    input,
    output: z.object({}),
    errors: [],
    example: {
      input: {
        id: '6f1c2b7e-3d4a-4c58-9e10-7a5b3c2d1e0f',
        text,
        count: 0,
        on: true,
        kind: 'second',
        arguments: { deep: [1, null, { [text]: false }] },
      },
      output: {},
    },
  })
  const method = buildModel({ demo: { take: declared } }).services[0]!.methods[0]!
  return samplesOf({ ...method, http: declared.http! }).map(({ source }) => source)
}

test('a sample has the path, the token and each field in the words of its language', () => {
  const [curl, typescript, python, go] = samples('plain')
  expect(curl).toContain("curl -X POST 'http://127.0.0.1:8000/api/v1/things/6f1c2b7e-3d4a-4c58-9e10-7a5b3c2d1e0f'")
  expect(curl).toContain('Bearer $USER_TOKEN')
  expect(curl).not.toContain('"id"')
  expect(typescript).toContain("await trident.demo.take.mutate({\n  id: '6f1c2b7e")
  expect(typescript).toContain('arguments: { deep: [1, null, { plain: false }] }')
  expect(python).toContain('"on": True')
  expect(python).toContain('{"deep": [1, None, {"plain": False}]}')
  expect(go).toContain('Count: proto.Int32(0)')
  expect(go).toContain('Kind: pb.Kind_KIND_SECOND')
  expect(go).toContain('"deep": structpb.NewListValue(')
})

test('a text cannot end its literal in any language', () => {
  const hostile = `'"\\\n$(x)\`\u2028`
  const [curl, typescript, python, go] = samples(hostile)
  const json = JSON.stringify(hostile)
  expect(curl).toContain(json.replaceAll("'", "'\\''"))
  expect(typescript).toContain(`text: '\\'"\\\\\\n$(x)\``)
  expect(python).toContain(`"text": ${json}`)
  expect(go).toContain(`Text: proto.String(${json})`)
})
