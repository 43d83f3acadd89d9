import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { agrees, type Era, officialClient, overClient } from '../clients/mcp.ts'
import { sharedWorld, type World } from '../world.ts'
import { type AgentAccount, agentAccount } from './agent.ts'

const root = join(import.meta.dirname, '../..')
let world: World
let one: AgentAccount
beforeAll(async () => {
  world = await sharedWorld()
  one = await agentAccount(world.clients.rest)
})
afterAll(() => world[Symbol.asyncDispose]())

const swap = { token_in_address: 'USDC', token_out_address: 'WETH', amount_in: '30' }

/** The official client, which starts the command as a user would; a person agrees to every form. */
async function startClient(era: Era, env: Record<string, string>) {
  const client = officialClient(era, agrees)
  const transport = new StdioClientTransport({
    command: 'npx',
    args: ['--no-install', 'trident', 'mcp'],
    cwd: root,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    stderr: 'pipe',
  })
  await client.connect(transport)
  return overClient(client)
}

/** The command alone: what it writes for what it reads. */
async function runBridge(input: string, env: Record<string, string>) {
  const command = spawn(process.execPath, [join(root, 'src/cli/trident.ts'), 'mcp'], {
    env: { ...process.env, ...env },
  })
  let written = ''
  let complaint = ''
  command.stdout.setEncoding('utf8').on('data', (text) => (written += text))
  command.stderr.setEncoding('utf8').on('data', (text) => (complaint += text))
  command.stdin.end(input)
  const [code] = await once(command, 'close')
  return {
    code,
    complaint,
    messages: written
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  }
}

describe.each(['auto', 'legacy'] as const)('a client of the era %s', (era) => {
  test('lists, quotes, and trades up to the threshold', async () => {
    await using agent = await startClient(era, { TRIDENT_TOKEN: one.agent, TRIDENT_URL: world.urls.http })
    expect(await agent.tools()).toContain('trade')
    expect((await agent.call('quote', swap)).value).toMatchObject({ quote_id: expect.any(String) })
    const { value } = await agent.call('trade', swap)
    expect(value).toMatchObject({ status: 'success' })
    const { execution_id } = value
    const read = await output(world.clients.rest.call('trading.getExecution', { execution_id }, one.account.token))
    expect(read).toMatchObject({ status: value.status, amount_in: '30' })
  })
})

test('it ends with its input, and answers what is no message, what is refused and what no gateway answers', async () => {
  const list = JSON.stringify({ jsonrpc: '2.0', id: 'a', method: 'tools/list', params: {} })
  const lines = `nonsense\n\n7\n${list}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n`
  const served = await runBridge(lines, { TRIDENT_TOKEN: one.agent, TRIDENT_URL: world.urls.http })
  expect(served).toMatchObject({ code: 0, complaint: '' })
  expect(served.messages).toMatchObject([
    { id: null, error: { code: -32_700 } },
    { id: null, error: { code: -32_700 } },
    { id: 'a', result: { tools: expect.any(Array) } },
  ])
  const refused = await runBridge(`${list}\n`, { TRIDENT_TOKEN: one.account.token, TRIDENT_URL: world.urls.http })
  expect(refused.messages).toMatchObject([
    { id: 'a', error: { code: -32_000, message: expect.stringMatching(/PERMISSION_DENIED: .*confirm_above_usd/) } },
  ])
  const absent = await runBridge(`${list}\n`, { TRIDENT_TOKEN: one.agent, TRIDENT_URL: 'http://127.0.0.1:1' })
  expect(absent.messages).toMatchObject([
    { id: 'a', error: { message: expect.stringMatching(/127.0.0.1:1.*running\?/) } },
  ])
  expect(JSON.stringify([served, refused, absent])).not.toContain(one.agent)
  // A batch is split, an answer is ignored, and the address may have the path.
  const answer = '{"jsonrpc":"2.0","id":"x","result":{}}'
  const batch = await runBridge(`[${list},${list.replace('"a"', '"b"')}]\n${answer}\n[${answer}]\n[]\n[7]\n`, {
    TRIDENT_TOKEN: one.agent,
    TRIDENT_URL: `${world.urls.http}/mcp/`,
  })
  expect(batch.messages.map(({ id }) => id).toSorted()).toEqual(['a', 'b', null, null])
  for (const { id, result, error } of batch.messages)
    expect([id, result?.tools.length > 0, error?.code]).toEqual(
      id === null ? [id, false, -32_700] : [id, true, undefined],
    )
  // A page is no gateway of MCP.
  const page = await runBridge(`${list}\n`, { TRIDENT_TOKEN: one.agent, TRIDENT_URL: `${world.urls.http}/docs/guides` })
  expect(page.messages).toMatchObject([{ id: 'a', error: { code: -32_000 } }])
})

test('it ends without a complaint when its client has closed its end', async () => {
  const command = spawn(process.execPath, [join(root, 'src/cli/trident.ts'), 'mcp'], {
    env: { ...process.env, TRIDENT_TOKEN: one.agent, TRIDENT_URL: world.urls.http },
  })
  let complaint = ''
  command.stderr.setEncoding('utf8').on('data', (text) => (complaint += text))
  command.stdin.on('error', () => undefined) // it has ended
  command.stdout.destroy()
  command.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })}\n`)
  const [code] = await once(command, 'close')
  expect([code, complaint]).toEqual([0, ''])
})

test('a separator within a text, a name that no header can carry and a long line end nothing', async () => {
  const call = (id: number, name: string, given: object) =>
    JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } })
  const lines = [
    call(1, 'search_operations', { query: 'price\u2028candles' }),
    call(2, '\ud800', {}),
    call(3, 'größe', {}),
    'x'.repeat(1_100_000),
    call(4, 'find_token', {}),
  ]
  const served = await runBridge(`${lines.join('\n')}\n`, { TRIDENT_TOKEN: one.agent, TRIDENT_URL: world.urls.http })
  expect(served.code).toBe(0)
  expect(served.messages.map(({ id }) => id).toSorted()).toEqual([1, 2, 3, 4, null])
  expect(served.messages.find(({ id }) => id === 1)).toHaveProperty('result.structuredContent.found')
})

test('without a token or with a wrong address it says what to set', async () => {
  expect(await runBridge('', { TRIDENT_TOKEN: '' })).toMatchObject({
    code: 2,
    complaint: expect.stringMatching(/TRIDENT_TOKEN/),
  })
  expect(await runBridge('', { TRIDENT_TOKEN: 'x', TRIDENT_URL: 'file:///etc' })).toMatchObject({
    code: 2,
    complaint: expect.stringMatching(/TRIDENT_URL/),
  })
})
