import { randomBytes, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { hostCheck } from '../../src/protocols/address.ts'
import { openDoor } from '../../src/protocols/door.ts'
import { mcpRoutes } from '../../src/protocols/mcp/server.ts'
import { dataFolder } from '../data-folder.ts'
import { runCommand } from '../run-command.ts'
import { conformanceExtension } from './mcp-fixtures.ts'
import { authorized, callers, exampleWorld, serveWorld } from './world.ts'

const suite = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js')
const revision = '2026-07-28'

test('the endpoint of MCP passes the official conformance suite', async () => {
  await using served = await serveMcp()
  using results = dataFolder()
  const words = ['server', '--url', served.url, '--requirements', revision, '-o', results.path]
  const ran = await runCommand(process.execPath, [suite, ...words], { limitSeconds: 90 })
  const scored = scoredScenarios()
  const wrong = scored.flatMap((scenario) => wrongIn(results.path, scenario).map((each) => `${scenario}: ${each}`))
  expect(wrong, ran.output).toEqual([])
  expect(scored.length).toBe(37)
  expect(ran.code, ran.output).toBe(0)
  expect(served.unexpected).toEqual([])
})

/** The scenarios that a server of the revision must pass; the suite runs some more, which count for nothing. */
function scoredScenarios(): string[] {
  return parse(readFileSync(join(suite, `../../requirements/${revision}.yaml`), 'utf8')).server
}

type Check = { id: string; status: string; errorMessage?: string }

/** What is wrong in a scenario, a warning included; each of its runs wrote a folder with its name and the time. */
function wrongIn(results: string, scenario: string): string[] {
  const isRun = (folder: string) => folder.startsWith(`server-${scenario}-20`)
  const checks = readdirSync(results)
    .filter(isRun)
    .flatMap((folder): Check[] => JSON.parse(readFileSync(join(results, folder, 'checks.json'), 'utf8')))
  if (!checks.some(({ status }) => status === 'SUCCESS')) return ['nothing passed']
  return checks
    .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
    .map(({ id, status, errorMessage }) => `${status} ${id}: ${errorMessage}`)
}

/** A gateway with the real tools and those of the suite, behind a proxy that adds the token, which the suite does not send. */
async function serveMcp() {
  const world = exampleWorld({}, false, undefined, undefined, undefined, {
    scopes: ['read', 'trade'],
    maxTradeUsd: null,
    maxDailyUsd: null,
    confirmAboveUsd: 0n,
    overMcp: 'every_trade',
  })
  const closing = new AbortController()
  const routes = mcpRoutes({
    gateway: world.gateway,
    callers,
    document: JSON.parse(readFileSync(new URL('../../openapi/mcp.json', import.meta.url), 'utf8')),
    key: randomBytes(32),
    now: () => new Date(),
    newId: () => randomUUID(),
    words: {
      chainId: (named) => named ?? 1,
      chainName: () => 'example',
      token: (_chainId, named) => ({ symbol: named, address: named }),
    },
    publicUrl: () => proxy.url,
    extension: conformanceExtension,
    unexpected: ({ error }) => void world.unexpected.push(error),
  })
  const rules = { servesHost: hostCheck([]), origins: [], publicUrl: () => proxy.url }
  const door = openDoor({ gateway: world.gateway, callers }, rules)
  const server = await serveWorld(world, { closing, routes: [routes], door })
  const proxy = await proxyWithToken(server.port)
  return {
    url: `${proxy.url}/mcp`,
    unexpected: world.unexpected,
    async [Symbol.asyncDispose]() {
      await proxy.close()
      await server.close()
    },
  }
}

/** Forwards each request with the token, and all else as it is: the Host and the Origin of the caller too. */
async function proxyWithToken(port: number): Promise<{ url: string; close(): Promise<void> }> {
  const proxy = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming
    const forwarded = request({ host: '127.0.0.1', port, method, path: url, headers: { ...headers, ...authorized } })
    forwarded.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      pipeline(answer, outgoing, () => undefined)
    })
    outgoing.on('close', () => forwarded.destroy())
    pipeline(incoming, forwarded, (error) => error && outgoing.destroy())
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const close = async () => {
    const closed = new Promise((resolve) => proxy.close(resolve))
    proxy.closeAllConnections()
    await closed
  }
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, close }
}
