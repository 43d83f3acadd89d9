import { setTimeout as sleep } from 'node:timers/promises'
import { type Host, startHost } from '../../../test/chat/host-process.ts'
import { silence } from '../../../test/chat/slow-script.ts'
import type { Client } from '../../../test/clients/client.ts'
import { grpcClient } from '../../../test/clients/grpc.ts'
import { dataFolder } from '../../../test/data-folder.ts'
import type { Bench } from '../bench.ts'
import type { Figure } from '../figures.ts'

/** The limit of open streams of an account, without the one of the answer itself. */
const readersOfAnswer = 99
const restMs = 5_000

type Open = (host: Host) => Promise<AsyncGenerator<unknown>[]>

/**
 * Holds idle chat streams open and measures the cost of each: readers of a few answers on each protocol, and as many
 * concurrent answers, each with its reader. They are served by the gateway's chat in a separate process, a new one for
 * each. Takes about four minutes.
 */
export const bench: Bench = async ([count = 1_000]) => {
  const sessions = Math.ceil(count / readersOfAnswer)
  const figures: Figure[] = []
  for (const protocol of ['rest', 'trpc', 'grpc'] as const) {
    const open: Open = (host) => readers(host, clientsOf(host, protocol), count)
    figures.push(...(await measured(`${count} readers over ${protocol}`, sessions, open)))
  }
  return [...figures, ...(await measured(`${count} answers, each with a reader`, count, answers))]
}

async function measured(what: string, sessions: number, open: Open): Promise<Figure[]> {
  using folder = dataFolder()
  const host = await startHost(folder.path, sessions)
  try {
    await warm(host)
    const before = host.memoryKb()
    const held = await open(host)
    // A few at a time: more than the queue takes would be refused.
    for (let begun = 0; begun < held.length; begun += 50)
      await Promise.all(held.slice(begun, begun + 50).map((events) => events.next()))
    await sleep(restMs)
    const worked = host.processorMs()
    await sleep(restMs)
    const percent = ((host.processorMs() - worked) / restMs) * 100
    const after = host.memoryKb()
    return [
      { what: `${what}: memory of each`, unit: 'KiB', rounds: [(after - before) / held.length] },
      {
        what: `${what}: memory of all`,
        unit: 'MiB',
        rounds: [after / 1_024],
        floor: { name: 'without them', rounds: [before / 1_024] },
      },
      { what: `${what}: processor, silent`, unit: '%', rounds: [percent] },
    ]
  } finally {
    await host.kill()
  }
}

/** Runs the code of all protocols before the memory is measured. */
async function warm({ clients, tokens }: Host): Promise<void> {
  const [token] = tokens
  for (const client of Object.values(clients))
    for (let time = 0; time < 50; time += 1)
      for await (const _ of client.stream('chat.stream', asked('warm 0 2'), token));
}

/** Readers of idle answers, so many per session; the request that starts an answer is not one of them. */
async function readers(
  { clients, tokens }: Host,
  protocols: Client[],
  count: number,
): Promise<AsyncGenerator<unknown>[]> {
  const held: AsyncGenerator<unknown>[] = []
  for (const [index, token] of tokens.entries()) {
    const { value: first } = await clients.rest.stream('chat.stream', asked(silence), token).next()
    const [stream_id] = (first as { id: string }).id.split(':')
    const client = protocols[index % protocols.length] ?? clients.rest
    const more = Math.min(readersOfAnswer, count - held.length)
    for (let reader = 0; reader < more; reader += 1) held.push(client.stream('chat.resume', { stream_id }, token))
  }
  return held
}

async function answers({ clients, tokens }: Host): Promise<AsyncGenerator<unknown>[]> {
  return tokens.map((token) => clients.rest.stream('chat.stream', asked(silence), token))
}

/** On gRPC a few connections with a hundred streams each; on HTTP/1.1 every stream has its own connection. */
function clientsOf(host: Host, protocol: 'rest' | 'trpc' | 'grpc'): Client[] {
  if (protocol !== 'grpc') return [host.clients[protocol]]
  return Array.from({ length: 5 }, () => grpcClient(host.urls.grpc))
}

function asked(content: string): object {
  return { messages: [{ role: 'user', content }] }
}
