import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '../src/adapters/storage/connection/database.ts'
import { dataFolder } from './data-folder.ts'
import { startPostgres } from './ports/postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where a file asks for what all files of a run share. */
    shared: string
  }
}

/** What is made once for a run. Each answers with a URL or a path. */
export type SharedPart = 'database' | 'empty-database' | 'data-folder'

/** The database with all tables, from which those of the tests are copied. */
const template = 'migrated'

/**
 * Prints the seeds of the run, and serves what its files share, over HTTP on loopback. A part is made when the first file
 * asks for it.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  for (const [name, value] of Object.entries(project.config.env))
    if (name.endsWith('_SEED')) console.log(`${name}=${value}`)
  const opened = new AsyncDisposableStack()
  let databases = 0
  const postgres = once(async () => {
    const server = await startPostgres()
    opened.defer(() => server.stop())
    await (await openDatabase({ url: await server.create(template), dataDir: tmpdir() }))[Symbol.asyncDispose]()
    return server
  })
  const parts: Record<SharedPart, () => Promise<string>> = {
    database: async () => await (await postgres()).create(`test_${++databases}`, template),
    'empty-database': async () => await (await postgres()).create(`test_${++databases}`),
    'data-folder': once(async () => {
      const { path } = opened.use(dataFolder())
      await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'make-data-folder.ts'), path])
      return path
    }),
  }
  const server = createServer((request, response) => {
    parts[request.url?.slice(1) as SharedPart]().then(
      (text) => response.end(text),
      (error) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  opened.defer(() => void server.close().closeAllConnections())
  project.provide('shared', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return async () => await opened.disposeAsync()
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => {
    made ??= make()
    // A later file may have better luck.
    made.catch(() => {
      made = null
    })
    return made
  }
}
