import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { grpcMethods } from '../../generated/grpc/services.ts'
import { createRouter, plans } from '../../generated/trpc/router.ts'
import { openTokens } from '../../src/adapters/accounts/tokens.ts'
import { createMemoryLimiter } from '../../src/adapters/limits/memory.ts'
import { openAccounts } from '../../src/adapters/storage/accounts/accounts.ts'
import { openKnownAddresses } from '../../src/adapters/storage/accounts/known-addresses.ts'
import { openSessions } from '../../src/adapters/storage/accounts/sessions.ts'
import { openChatStreams } from '../../src/adapters/storage/chat/chat-streams.ts'
import { openMessages } from '../../src/adapters/storage/chat/messages.ts'
import { openOffers } from '../../src/adapters/storage/chat/offers.ts'
import type { Database } from '../../src/adapters/storage/connection/database.ts'
import { randomIds, systemClock } from '../../src/adapters/system/system.ts'
import { operations } from '../../src/contract/index.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'
import { handlersById } from '../../src/domain/index.ts'
import type { AssistantRequest } from '../../src/domain/ports/assistant.ts'
import type { Ports } from '../../src/domain/ports/index.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { createCallers, proxyCheck } from '../../src/protocols/caller.ts'
import { serveGrpc } from '../../src/protocols/grpc/server.ts'
import { serveHttp } from '../../src/protocols/http.ts'
import { restRoutes } from '../../src/protocols/rest/server.ts'
import { trpcRoutes } from '../../src/protocols/trpc/server.ts'
import { tradingTimes } from '../../src/wiring/trading-settings.ts'
import { type Clients, openClients } from '../clients/clients.ts'
import { addAccount, addSession } from '../ports/rows.ts'
import { unwatched } from '../protocols/world.ts'

/** Writes the answer. */
export type Script = (request: AssistantRequest) => AsyncIterable<string>

export type ChatWorld = AsyncDisposable & {
  urls: { http: string; grpc: string }
  clients: Clients
  /** A new session with its token. Accounts are numbered in the order of their creation. */
  session(account?: number): Promise<{ userId: number; sessionId: string; token: string }>
  unexpected: unknown[]
}

/** The interval of heartbeats of an idle stream, and the timeout of a slow reader. */
type Times = { heartbeatMs: number; slowReaderMs: number }

const hasty: Times = { heartbeatMs: 50, slowReaderMs: 1_000 }

/**
 * The real gateway, protocols and stores of chat over a database, with an assistant that follows a script. Two of them
 * on one database act as two processes; they share the folder of their keys.
 */
export async function openChatWorld(
  database: Database,
  script: Script,
  keys = keyFolder(),
  { heartbeatMs, slowReaderMs } = hasty,
): Promise<ChatWorld> {
  await using opened = new AsyncDisposableStack()
  const dataDir = opened.use(keys).path
  const unexpected: unknown[] = []
  const assistant = { model: 'a script', reply: script }
  const tokens = openTokens({ dataDir, clock: systemClock })
  const ports = {
    accounts: openAccounts(database),
    assistant,
    chatStreams: openChatStreams(database, 50),
    clock: systemClock,
    ids: randomIds,
    knownAddresses: openKnownAddresses(database, (error) => void unexpected.push(error)),
    messages: openMessages(database),
    offers: openOffers(database),
    sessions: openSessions(database, 50),
    tokens,
    tradingSettings: tradingTimes,
  } as unknown as Ports // no other port is used without tools
  const byId = new Map<string, Operation>(operations())
  const report = (event: { error: unknown }) => void unexpected.push(event.error)
  const gateway = createGateway({
    operations: byId,
    handlers: handlersById(),
    ports,
    limiter: createMemoryLimiter(),
    rules: 'off',
    isOperator: () => false,
    observer: unwatched(report),
  })
  const closing = new AbortController()
  const callers = createCallers({ isProxy: proxyCheck([]) })
  const common = { gateway, callers, closing: closing.signal, unexpected: report }
  const address = { host: '127.0.0.1', port: 0, graceMs: 200 }
  const sse = { heartbeatMs, slowReaderMs, firstEventMs: 20 }
  const routes = [
    restRoutes({ ...common, operations: byId, sse }),
    trpcRoutes({ ...common, createRouter, plans, heartbeatMs, slowReaderMs }),
  ]
  const http = await serveHttp({ ...address, cors: { origins: [] }, closing, unexpected: report, routes })
  const descriptors = readFileSync(new URL('../../generated/grpc/descriptor.binpb', import.meta.url))
  const grpc = await serveGrpc({ ...common, ...address, methods: grpcMethods, descriptors, slowReaderMs })
  opened.defer(async () => {
    closing.abort()
    await Promise.all([http.close(), grpc.close()])
  })
  const urls = { http: http.url, grpc: `127.0.0.1:${grpc.port}` }
  const clients = opened.use(openClients(urls))
  const resources = opened.move()
  return {
    urls,
    clients,
    async session(number = 1) {
      const account = await accountOf(database, number)
      const sessionId = await addSession(database, account)
      return {
        userId: account,
        sessionId,
        token: tokens.issueSession({ id: account, generation: 0 }, sessionId).accessToken,
      }
    },
    unexpected,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** A folder for the token keys, which is removed when disposed of. */
export function keyFolder(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'trident-chat-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

async function accountOf(database: Database, number: number): Promise<number> {
  const known = await openAccounts(database).find(number)
  return known === null ? await addAccount(database, number) : known.id
}

/** A gate at which an answer waits until the test opens it. */
export function gate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}
