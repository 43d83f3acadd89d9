import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Script, SeenRequest, Turn } from './script.ts'

/**
 * A server of chat completions in a separate process. `POST /scripts` sets scripts by name, `GET /requests/<name>`
 * returns the requests of one, and `POST /cut` closes the sockets of stalled answers. Prints its port once it listens.
 */
const scripts = new Map<string, Script>()
const seen = new Map<string, SeenRequest[]>()
const stalled = new Set<ServerResponse>()
const waiting: (() => void)[] = []

const server = createServer((request, response) => {
  handle(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(typeof address === 'object' ? address?.port : address)
})
process.once('disconnect', () => process.exit(0))

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url = '' } = request
  const body = (await Array.fromAsync(request)).map(String).join('')
  const [, wanted] = /^\/requests\/(\w+)$/.exec(url) ?? []
  if (wanted !== undefined) {
    response.end(JSON.stringify(seen.get(wanted) ?? []))
  } else if (method === 'POST' && url === '/scripts') {
    for (const [name, script] of Object.entries<Script>(JSON.parse(body))) {
      scripts.set(name, script)
      seen.set(name, [])
    }
    response.end('{}')
  } else if (method === 'POST' && url === '/cut') {
    for (const one of stalled) one.destroy()
    response.end('{}')
  } else if (method === 'POST' && url === '/go-on') {
    for (const goOn of waiting.splice(0)) goOn()
    response.end('{}')
  } else if (method === 'POST' && url === '/v1/chat/completions') {
    await complete(request, JSON.parse(body), response)
  } else {
    response.writeHead(404).end('{}')
  }
}

async function complete({ headers }: IncomingMessage, body: SeenRequest['body'], response: ServerResponse) {
  const asked = body.messages.findLast(({ role }) => role === 'user')?.content ?? ''
  const [, name = ''] = [...asked.matchAll(/#(\w+)/g)].at(-1) ?? []
  const requests = seen.get(name) ?? []
  const turn = (scripts.get(name) ?? []).at(Math.min(requests.length, (scripts.get(name) ?? []).length - 1))
  const mine: SeenRequest = { authorization: headers.authorization, body, left: false }
  requests.push(mine)
  seen.set(name, requests)
  response.once('close', () => {
    mine.left = !response.writableEnded
  })
  if (turn === undefined) response.writeHead(404).end('{}')
  else if (turn.status !== undefined) response.writeHead(turn.status, turn.headers).end(String(turn.events[0]))
  else if (body.stream === true) await stream(turn, body, response)
  else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(turn.events[0]))
}

async function stream(
  { events, end, headers }: Turn,
  body: SeenRequest['body'],
  response: ServerResponse,
): Promise<void> {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream', ...headers })
  for (const event of events) {
    const text = typeof event === 'string' ? event : JSON.stringify(event)
    const raw = typeof event === 'object' && event !== null && 'raw' in event ? String(event.raw) : null
    response.write(raw ?? `data: ${text.replaceAll(/\{\{(\w+)\}\}/g, (_, field) => fieldOf(body, field))}\n\n`)
    // A separate write, so that pieces are sent separately.
    await new Promise((resolve) => setImmediate(resolve))
  }
  if (end === 'done') response.end('data: [DONE]\n\n')
  else if (end === 'early') response.end()
  else if (end === 'cut') response.destroy()
  else if (end === 'stall') stalled.add(response)
  else if ('later' in end) waiting.push(() => void stream({ events: end.later, end: 'done' }, body, response))
  else {
    const pings = setInterval(() => response.write(': still there\n\n'), end.pingMs)
    response.once('close', () => clearInterval(pings))
  }
}

/** The newest value of a field in the results of tools. */
function fieldOf({ messages }: SeenRequest['body'], field: string): string {
  const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content ?? '')
  const found = results.join('\n').matchAll(new RegExp(`"${field}":"([^"]*)"`, 'g'))
  return [...found].at(-1)?.[1] ?? ''
}
