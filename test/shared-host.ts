import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { dataFolder } from './data-folder.ts'
import type { SharedPart } from './shared-parts.ts'

// Serves what all files of a run share, over HTTP on loopback, until its parent ends or says so. A part is made when the
// first file asks for it. This is a process of its own because PostgreSQL's package takes over the exit code of its process.

/** The database with all tables, from which those of the tests are copied. */
const template = 'migrated'

const opened = new AsyncDisposableStack()
/** Ends what is being made when the run ends. */
const ending = new AbortController()
let databases = 0
const postgres = once(async () => {
  const [{ startPostgres }, { openDatabase }] = await Promise.all([
    import('./ports/postgres.ts'),
    import('../src/adapters/storage/connection/database.ts'),
  ])
  const server = await startPostgres()
  opened.defer(() => server.stop())
  await (await openDatabase({ url: await server.create(template), dataDir: tmpdir() }))[Symbol.asyncDispose]()
  return server
})
const parts: Record<SharedPart, () => Promise<string>> = {
  database: async () => await (await postgres()).create(`test_${++databases}`, template),
  'empty-database': async () => await (await postgres()).create(`test_${++databases}`),
  'data-folder': once(async () => {
    const { path } = dataFolder() // gone a second after this process
    const script = join(import.meta.dirname, 'make-data-folder.ts')
    await promisify(execFile)(process.execPath, [script, path], { signal: ending.signal })
    return path
  }),
}
const server = createServer((request, response) => {
  parts[request.url?.slice(1) as SharedPart]().then(
    (text) => response.end(text),
    (error) => response.writeHead(500).end(String(error)),
  )
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.once('disconnect', async () => {
  ending.abort()
  await opened.disposeAsync()
  process.exit()
})

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
