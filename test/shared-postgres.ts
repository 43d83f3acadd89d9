import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '../src/adapters/storage/connection/database.ts'
import { type PostgresServer, startPostgres } from './ports/postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where a file asks for a PostgreSQL database of its own. */
    postgres: string
  }
}

/** The database with all tables, from which those of the tests are copied. */
const template = 'migrated'

/**
 * One PostgreSQL for all files of a run. The runner starts it when the first file asks for a database: POST / makes one
 * and responds with its URL, `?empty` makes it without tables.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let started: Promise<PostgresServer> | null = null
  let made = 0
  const make = async (empty: boolean) => {
    started ??= start()
    const server = await started
    return await server.create(`test_${++made}`, empty ? undefined : template)
  }
  const server = createServer((request, response) => {
    make(request.url === '/?empty').then(
      (url) => response.end(url),
      (error) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  project.provide('postgres', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await (await started)?.stop()
  }
}

async function start(): Promise<PostgresServer> {
  const server = await startPostgres()
  await (await openDatabase({ url: await server.create(template), dataDir: tmpdir() }))[Symbol.asyncDispose]()
  return server
}
