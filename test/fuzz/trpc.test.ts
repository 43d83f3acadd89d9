import fc from 'fast-check'
import { afterAll, beforeAll, test } from 'vitest'
import { plans } from '../../generated/trpc/router.ts'
import { operations } from '../../src/contract/index.ts'
import { errorTable } from '../../src/contract/shared/errors.ts'
import { trpcClient } from '../clients/trpc.ts'
import { newAccount } from '../world.ts'
import { openTarget, type Target } from './gateway.ts'
import { endsToken, samplesOf } from './samples.ts'

let target: Target
let token: string
beforeAll(async () => {
  target = await openTarget()
  token = (await newAccount(trpcClient(target.gateway.urls.http))).token
})
afterAll(async () => await target[Symbol.asyncDispose]())

const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...Object.keys(plans)) },
  { weight: 1, arbitrary: fc.constantFrom('', 'toString', '__proto__', 'auth', '..', '%', 'x'.repeat(3_000)) },
)
const input = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
  fc
    .dictionary(fc.constantFrom('0', '1', '9', '-1', '1e9', '__proto__', 'x'), fc.jsonValue({ maxDepth: 2 }))
    .map((inputs) => JSON.stringify(inputs)),
  fc.constantFrom('', '{', '{"0":{"json":1}}', `${'['.repeat(3_000)}`, '1e400', '"\\ud800"'),
)
const headers = fc.record(
  {
    'content-type': fc.constantFrom(
      'application/json',
      'text/plain',
      'multipart/form-data; boundary=x',
      'application/octet-stream',
    ),
    'trpc-accept': fc.constantFrom('application/jsonl', 'x'),
    accept: fc.constantFrom('text/event-stream', 'application/json'),
    'last-event-id': fc.constantFrom('', '1', 'x'.repeat(300)),
    'x-trpc-source': fc.constant('x'),
  },
  { requiredKeys: [] },
)
/** The example of each operation that leaves the token alive, with headers that may not fit. */
const lasting = operations().filter(([id]) => !endsToken(id))
const usual = fc.constantFrom(...lasting).chain(([id, { example }]) =>
  fc.record({
    names: fc.constant([id]),
    batch: fc.constant(''),
    method: fc.constant(plans[id].kind === 'mutation' ? 'POST' : 'GET'),
    input: fc.constant(JSON.stringify(example.input)),
    headers: fc.oneof(fc.constant({}), headers),
  }),
)
const calls = fc.record({
  names: fc.array(name, { minLength: 1, maxLength: 14 }),
  batch: fc.constantFrom(
    '',
    'batch=1',
    'batch=0',
    'batch=1&batch=1',
    'connectionParams=1',
    'batch=1&connectionParams={}',
  ),
  method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'),
  input,
  headers,
})

/** Success, success of a part of a batch, a wrong method, and the statuses of the error table except INTERNAL. */
const declared = new Set<number>([200, 207, 405, ...Object.values(errorTable).map(({ http }) => http)])
declared.delete(errorTable.INTERNAL.http)

test('malformed batches, inputs and headers of tRPC get declared statuses', async () => {
  await target.attack('tRPC batches', async (tally) => {
    const queue = samplesOf(fc.oneof(calls, usual), 1_500).values()
    const caller = async () => {
      for (const { names, batch, method, input: sent, headers: more } of queue) {
        const query = method === 'GET' ? `&input=${encodeURIComponent(sent)}` : ''
        const path = names.map((one) => encodeURIComponent(one)).join(',')
        const leaving = AbortSignal.timeout(60_000)
        const response = await fetch(`${target.gateway.urls.http}/trpc/${path}?${batch}${query}`, {
          method,
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            connection: 'close',
            ...more,
          },
          ...(method === 'GET' ? {} : { body: sent }),
          signal: leaving,
        })
        tally.sent += 1
        if (response.ok) tally.answered += 1
        else tally.refused += 1
        const seen = await textOf(response)
        if (!declared.has(response.status) || seen.includes('"INTERNAL"'))
          tally.undeclared.push(`${response.status} ${seen.slice(0, 300)} to ${method} ${path}`)
      }
    }
    await Promise.all(Array.from({ length: 8 }, caller))
  })
})

/** The body; of a stream that continues, what is received within a moment. */
async function textOf(response: Response): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const leaving = setTimeout(() => void reader?.cancel(), 1_000)
  let text = ''
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) text += read.value
  clearTimeout(leaving)
  return text
}
