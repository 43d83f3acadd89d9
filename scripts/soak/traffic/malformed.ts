import { operations } from '../../../src/contract/index.ts'
import { refusalOf } from '../../../test/clients/client.ts'
import { newAccount } from '../../../test/world.ts'
import { changed, invalidCases } from '../../generate/invalid-cases.ts'
import { askRefused, codeOf, noAnswer, type SoakWorld, sentNow, type Traffic } from '../world.ts'

const cause = 'malformed input'

/** Malformed bodies, with the expected status of REST and code of JSON-RPC. */
const broken = [
  ['{"email":', 400, -32700],
  ['', 422, -32600],
  ['[7]', 422, -32600],
] as const

/**
 * A client with wrong requests: inputs that break one rule of the contract each, bad tokens, and bytes that are not
 * JSON.
 */
export const malformed: Traffic = {
  name: 'malformed',
  pauseMs: 150,
  async begin(world, { one, random }) {
    const { token, userToken } = await newAccount(world.clients.rest)
    const tokens = { session: token, any: userToken, user: userToken, none: undefined }
    const able = operations().filter(([, { auth }]) => auth !== 'operator')

    async function invalid(): Promise<void> {
      const [id, operation] = one(able)
      const cases = invalidCases(operation)
      if (cases.length === 0 || operation.auth === 'operator') return
      const { at, to, protocols } = one(cases)
      const client = world.clients[one(protocols.filter((protocol) => protocol !== 'rest' || operation.http))]
      const by = tokens[operation.auth]
      const asked = { client, id, input: changed(operation.example.input, at, to) as object, ...(by && { token: by }) }
      if (operation.kind === 'unary') return await askRefused(world, asked, 'INVALID_ARGUMENT', cause)
      const seen = sentNow(id, client.protocol)
      const found = await refusalOf(client.stream(id, asked.input, by)).then(codeOf, noAnswer)
      world.outcomes.note({ ...seen, ...found, ...(found.code === 'INVALID_ARGUMENT' && { cause }) })
    }

    return {
      async round() {
        const dice = random()
        if (dice < 0.8) await invalid()
        else if (dice < 0.9) await noJson(world, one(broken))
        else {
          const [id, { example }] = one(able.filter(([, { auth, kind }]) => auth !== 'none' && kind === 'unary'))
          const client = one([world.clients.trpc, world.clients.grpc])
          await askRefused(world, { client, id, input: example.input, token: `${token}x` }, 'UNAUTHENTICATED', cause)
        }
      },
    }
  },
}

async function noJson({ gateway, outcomes }: SoakWorld, [body, status, code]: (typeof broken)[number]): Promise<void> {
  const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
  const since = performance.now()
  const rest = await fetch(`${gateway.urls.http}/api/v1/auth/register`, sent)
  await rest.text()
  const operation = 'bytes that are no request'
  const known = (found: number, right: number) => ({ code: `${found}`, since, ...(found === right && { cause }) })
  outcomes.note({ operation, protocol: 'rest', ...known(rest.status, status) })
  const reply = await fetch(gateway.urls.rpc, sent)
  const answer = await reply.json()
  const [{ error }] = [answer].flat() as [{ error: { code: number } }]
  outcomes.note({ operation, protocol: 'json-rpc', ...known(error.code, code) })
}
