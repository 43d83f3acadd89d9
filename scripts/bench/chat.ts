import { startModel } from '../../test/assistant/model.ts'
import { says, turn } from '../../test/assistant/script.ts'
import { type Client, output } from '../../test/clients/client.ts'
import { grpcClient } from '../../test/clients/grpc.ts'
import { restClient } from '../../test/clients/rest.ts'
import { sseEvents } from '../../test/clients/sse.ts'
import { trpcClient } from '../../test/clients/trpc.ts'
import { newAccount } from '../../test/world.ts'
import { startGateway } from '../gateway-process.ts'
import { at } from './figures.ts'

/**
 * Measures how much later the first piece of a language model's answer comes through the gateway than from the model
 * server itself, which gets the very request that the gateway sends it, in turns. The server answers at once, so that
 * what is added is all there is. Prints one table; takes about a minute.
 */
const runs = 200
const warmUps = 20
const name = 'bench'

await using model = await startModel()
await using gateway = await startGateway({
  ...{ RATE_LIMITS: 'off', LOG_LEVEL: 'silent', LLM_BASE_URL: model.url, LLM_MODEL: 'scripted' },
})
const urls = (protocol: string) => gateway.urls.get(protocol) ?? ''
const clients = [restClient(urls('REST')), trpcClient(urls('REST')), grpcClient(urls('gRPC'))]
const asked = { messages: [{ role: 'user', content: `What can you do for me? #${name}` }] }
const body = await bodyOfGateway()

const rows = [['by', 'n', 'model p50', 'p99', 'gateway p50', 'p99', 'added p50']]
for (const client of clients) rows.push(await measure(client))
for (const client of clients) client.close()
rows.splice(1, 0, rows[0]?.map(() => '---') ?? [])
console.log(rows.map((row) => `| ${row.join(' | ')} |`).join('\n'))
console.log('\nMilliseconds from the request to the first piece of the answer.')

/** One question through the gateway tells what it sends to the model. */
async function bodyOfGateway(): Promise<string> {
  await model.teach({ [name]: [turn(says('I read prices, ', 'quote swaps, ', 'and more.'))] })
  const [client] = clients
  if (client === undefined) throw new Error('There is no client.')
  const { token } = await newAccount(client)
  await output(client.call('chat.send', asked, token))
  const [request] = await model.requests(name)
  return JSON.stringify(request?.body)
}

async function measure(client: Client): Promise<string[]> {
  const { token } = await newAccount(client)
  const direct: number[] = []
  const through: number[] = []
  const sides = [
    [askModel, direct],
    [() => askGateway(client, token), through],
  ] as const
  for (let run = 0; run < runs + warmUps; run += 1) {
    // Who goes first takes turns, too.
    for (const [ask, times] of run % 2 === 0 ? sides : sides.toReversed()) {
      const taken = await ask()
      if (run >= warmUps) times.push(taken)
    }
  }
  for (const times of [direct, through]) times.sort((one, other) => one - other)
  const [model50, model99, gateway50, gateway99] = [direct, through].flatMap((times) => [
    at(times, 0.5),
    at(times, 0.99),
  ])
  const added = (gateway50 ?? Number.NaN) - (model50 ?? Number.NaN)
  const shown = [model50, model99, gateway50, gateway99, added].map((value) => value?.toFixed(1) ?? '')
  return [client.protocol, `${runs}`, ...shown]
}

/** Milliseconds to the first piece from the model server itself; the rest is read before it answers. */
async function askModel(): Promise<number> {
  const begun = performance.now()
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${model.url}/chat/completions`, { method: 'POST', headers, body })
  let first = Number.NaN
  for await (const _ of sseEvents(response.body ?? new ReadableStream()))
    if (Number.isNaN(first)) first = performance.now() - begun
  return first
}

async function askGateway(client: Client, token: string): Promise<number> {
  const begun = performance.now()
  let first = Number.NaN
  for await (const _ of client.stream('chat.stream', asked, token))
    if (Number.isNaN(first)) first = performance.now() - begun
  await output(client.call('chat.clear', {}, token)) // so that every request to the model is the same
  return first
}
