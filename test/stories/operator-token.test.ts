import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dataFolder } from '../data-folder.ts'
import { startGateway } from '../gateway-process.ts'

test('without OPERATOR_TOKEN one is made at the first start, for the owner of the folder alone', async () => {
  using folder = dataFolder()
  const file = join(folder.path, 'operator.token')
  const tokens: string[] = []
  for (const start of ['first', 'second']) {
    await using gateway = await startGateway(folder.path, { OPERATOR_TOKEN: '', LOG_LEVEL: 'trace' })
    const token = readFileSync(file, 'utf8').trim()
    tokens.push(token)
    expect(statSync(file).mode & 0o777, start).toBe(0o600)
    expect(gateway.said()).toContain(file)
    const scraped = await fetch(`${gateway.urls.http}/metrics`, { headers: { authorization: `Bearer ${token}` } })
    expect(scraped.status, start).toBe(200)
    expect((await fetch(`${gateway.urls.http}/metrics`)).status, start).toBe(401)
    expect(gateway.said() + gateway.complaints(), start).not.toContain(token)
  }
  expect(tokens[0]).toMatch(/^[0-9a-f]{64}$/)
  expect(tokens[1]).toBe(tokens[0])
})
