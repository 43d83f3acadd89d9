import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chainId, enginePid, temporaryDir, testSandbox } from '../fixtures/testing.ts'
import type { ChainEvent } from '../kit/events.ts'
import { startEngine } from './engine.ts'
import { engineIsolation } from './isolation.ts'

const isIsolated = (await engineIsolation()).length > 0

/** The addresses and ports on which a process listens, in hexadecimal digits as the kernel shows them. */
function listeners(pid: number): { address: string; port: number }[] {
  const files = readdirSync(`/proc/${pid}/fd`).map((name) => readlinkSync(`/proc/${pid}/fd/${name}`))
  const rows = readFileSync(`/proc/${pid}/net/tcp`, 'utf8').split('\n').slice(1)
  return rows.flatMap((row) => {
    const [, local = '', , state, , , , , , inode] = row.trim().split(/\s+/)
    const [address = '', port = ''] = local.split(':')
    return state === '0A' && files.includes(`socket:[${inode}]`) ? [{ address, port: Number.parseInt(port, 16) }] : []
  })
}

test.runIf(isIsolated)('no port of the engine can be reached from this machine', async () => {
  await using dir = await temporaryDir()
  await using sandbox = await testSandbox(dir.path)
  const pid = enginePid(sandbox.events)
  const own = readlinkSync(`/proc/${pid}/ns/net`)
  expect(own).not.toBe(readlinkSync('/proc/self/ns/net'))
  for (const { port } of listeners(pid)) {
    const socket = connect(port, '127.0.0.1')
    await expect(once(socket, 'connect')).rejects.toThrow('ECONNREFUSED')
  }
})

test.runIf(process.platform === 'linux' && !isIsolated)(
  'the engine does not listen where a web page would try',
  async () => {
    await using dir = await temporaryDir()
    await using sandbox = await testSandbox(dir.path)
    const found = listeners(enginePid(sandbox.events))
    expect(found).toHaveLength(1)
    for (const { address, port } of found) {
      expect(address).toMatch(/7F$/)
      expect(address).not.toBe('0100007F')
      const socket = connect(port, '127.0.0.1')
      await expect(once(socket, 'connect')).rejects.toThrow('ECONNREFUSED')
    }
  },
)

test('an engine that cannot be recorded is ended, and leaves nothing behind', async () => {
  await using dir = await temporaryDir()
  const { pid: before = 0 } = spawnSync('true')
  // Blocks the record files of the next process ids.
  for (let pid = before; pid < before + 3_000; pid += 1) mkdirSync(join(dir.path, `${pid}.pid`))
  const events: ChainEvent['type'][] = []
  const emit = ({ type }: ChainEvent) => void events.push(type)
  const genesisFile = join(dir.path, 'genesis.json')
  const starting = startEngine({ engineDir: dir.path, genesisFile, chainId, kind: [], states: 1, readSeconds: 5, emit })
  await expect(starting).rejects.toThrow('EISDIR')
  expect(events).toEqual(['engine-exited'])
  expect(readdirSync(dir.path).filter((name) => name.startsWith('cache-'))).toEqual([])
})
