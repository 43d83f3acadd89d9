import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { enginePid, temporaryDir, testSandbox } from '../fixtures/testing.ts'

/** The addresses and ports at which a process listens, as the kernel writes them: in hexadecimal digits. */
function listeners(pid: number): { address: string; port: number }[] {
  const files = readdirSync(`/proc/${pid}/fd`).map((name) => readlinkSync(`/proc/${pid}/fd/${name}`))
  const rows = readFileSync(`/proc/${pid}/net/tcp`, 'utf8').split('\n').slice(1)
  return rows.flatMap((row) => {
    const [, local = '', , state, , , , , , inode] = row.trim().split(/\s+/)
    const [address = '', port = ''] = local.split(':')
    return state === '0A' && files.includes(`socket:[${inode}]`) ? [{ address, port: Number.parseInt(port, 16) }] : []
  })
}

test.runIf(process.platform === 'linux')('the engine is not where a web page would look for it', async () => {
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
})
