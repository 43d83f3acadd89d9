import { afterAll, beforeAll, expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { newAccount, openWorld, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(async () => await world[Symbol.asyncDispose]())

test('the page of a trade shows its block, transfers, events and calls, and leads to the wallet', async () => {
  const { rest } = world.clients
  const { token, trade, wallet } = await newAccount(rest)
  const { explorer_url } = await output(rest.call('trading.execute', trade('WETH', 'USDC', '0.5', 'shown'), token))
  const get = async (url: string) => {
    const answer = await fetch(url)
    return { status: answer.status, text: await answer.text() }
  }
  const page = await get(explorer_url)
  expect(page.status).toBe(200)
  for (const part of ['success', '✓ USDC', '✓ WETH', 'Token transfers (', 'Swap', 'Uniswap v3 router', 'STATICCALL'])
    expect(page.text).toContain(part)
  const read = page.text.replaceAll(/<[^>]*>/g, '')
  expect(read).toMatch(/TransactionSwapped 0\.5 WETH for 1,[45]\d\d(\.\d\d?)? USDC on Uniswap v3/)
  for (const part of ['exactInputSingle', 'amountIn0.5 WETH']) expect(read).toContain(part)
  const block = /href="(\/explorer\/block\/\d+)"/.exec(page.text)?.[1]
  expect((await get(world.urls.http + block)).text).toContain(explorer_url.split('/').at(-1))
  const account = await get(`${world.urls.http}/explorer/address/${wallet}`)
  expect(account.text.split('Token transfers')[0]).toContain(explorer_url.split('/').at(-1))
  const misspelt = await get(`${world.urls.http}/explorer/address/0x${'0'.repeat(36)}AEEF`) // not its checksum
  expect(misspelt.status).toBe(200)
  expect(account.text).toMatch(/<td>4\.5<\/td>/)
  expect((await get(`${world.urls.http}/explorer`)).text).toContain(`href="${block}"`)
  expect((await get(`${world.urls.http}/explorer/search?q=usdc`)).text).toContain('✓ USDC')
})
