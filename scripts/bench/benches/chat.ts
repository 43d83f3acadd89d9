import { type ModelProcess, startModel } from '../../../test/assistant/model.ts'
import { says, turn } from '../../../test/assistant/script.ts'
import { type Client, output } from '../../../test/clients/client.ts'
import { openClients } from '../../../test/clients/clients.ts'
import { sseEvents } from '../../../test/clients/sse.ts'
import { startGateway } from '../../../test/gateway-process.ts'
import { newAccount } from '../../../test/world.ts'
import { type Bench, timeFigures } from '../figures.ts'
import { inTurns } from '../turns.ts'

const rounds = 5
const answersARound = 40
const name = 'bench'
const asked = { messages: [{ role: 'user', content: `What can you do for me? #${name}` }] }

/**
 * The time to the first piece of a language model's answer through the gateway, compared with the model server itself,
 * which receives the same request. The server responds at once, so the difference is the gateway's own time.
 */
export const bench: Bench = async () => {
  await using model = await startModel()
  await using gateway = await startGateway(null, {
    LOG_LEVEL: 'silent',
    LLM_BASE_URL: model.url,
    LLM_MODEL: 'scripted',
  })
  using clients = openClients(gateway.urls)
  const body = await bodyOfGateway(model, clients.rest)
  const ways = [
    { name: 'the model itself', ask: () => askModel(model, body) },
    ...(await Promise.all(Object.values(clients).map(wayOf))),
  ]
  const results = await inTurns(ways, rounds, async ({ ask }) => {
    const times: number[] = []
    while (times.length < answersARound) times.push(await ask())
    return times
  })
  const [[, direct = []] = [], ...through] = [...results]
  return through.flatMap(([{ name: way }, times]) =>
    timeFigures(`first piece over ${way}`, times, { name: 'the model itself', times: direct }),
  )
}

async function wayOf(client: Client) {
  const { token } = await newAccount(client)
  return { name: client.protocol, ask: () => askGateway(client, token) }
}

/** One question through the gateway records the request that it sends to the model. */
async function bodyOfGateway(model: ModelProcess, client: Client): Promise<string> {
  await model.teach({ [name]: [turn(says('I read prices, ', 'quote swaps, ', 'and more.'))] })
  const { token } = await newAccount(client)
  await output(client.call('chat.send', asked, token))
  const [request] = await model.requests(name)
  return JSON.stringify(request?.body)
}

/** Milliseconds to the first piece from the model server itself; the rest is read before it returns. */
async function askModel(model: ModelProcess, body: string): Promise<number> {
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
