import { getAddress } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { type Anvil, type Door, openDoor, startAnvil } from '../node/anvil.ts'
import { operatorToken } from '../operator-token.ts'
import { type Account, newAccount, openWorld, protocols, type World } from '../world.ts'

const native = `0x${'00'.repeat(20)}`
let signer: Anvil
/** A proxy between the gateway and its signer. */
let door: Door
let world: World
let ada: Account
let vault: string

beforeAll(async () => {
  signer = await startAnvil([], { accounts: 2, chainId: 84_532 })
  door = await openDoor(signer.url)
  world = await openWorld({ SIGNER_URL: door.url })
  ada = await newAccount(world.clients.rest)
  vault = getAddress((await signer.call('eth_accounts'))[0])
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  for (const part of [door, signer]) await part[Symbol.asyncDispose]()
})

const grant = (email: string, address: string, wallet_ref = 'vault') =>
  world.clients.rest.call('operator.grantWallet', { email, wallet_ref, address }, operatorToken)
const sent = async () => Number(await world.askChain('eth_getTransactionCount', [vault, 'latest']))
const waiting = async () => Number(await world.askChain('eth_getTransactionCount', [vault, 'pending']))

let trades = 0
/** A trade from the vault once it is decided, however slow the machine is. */
async function trade() {
  const { rest } = world.clients
  const request = ada.trade('WETH', 'USDC', '0.01', `trade-${++trades}`, { wallet_ref: 'vault' })
  const bought = { ...request, input: { ...request.input, token_in_address: native } }
  const { execution_id } = await output(rest.call('trading.execute', bought, ada.token))
  return await until(async () => {
    const execution = await output(rest.call('trading.getExecution', { execution_id }, ada.token))
    return execution.status === 'pending' ? undefined : execution
  })
}

async function until<T>(found: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const value = await found()
    if (value !== undefined) return value
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const newest = async () =>
  (await output(world.clients.rest.call('trading.listExecutions', { limit: 1 }, ada.token))).items[0]

test('the operator grants what the signer has, to one account', async () => {
  expect(await grant(ada.email, `0x${'77'.repeat(20)}`)).toMatchObject({ ok: false, code: 'NOT_FOUND' })
  expect(await grant('nobody@example.com', vault)).toMatchObject({ ok: false, code: 'NOT_FOUND' })
  expect(await output(grant(ada.email, vault.toUpperCase().replace('0X', '0x')))).toEqual({
    wallet_ref: 'vault',
    address: vault,
    funded: false,
    custody: 'remote_signer',
  })
  const eve = await newAccount(world.clients.rest)
  expect(await grant(eve.email, vault, 'mine')).toMatchObject({ ok: false, code: 'ALREADY_EXISTS' })
  expect(await grant(ada.email, vault, 'again')).toMatchObject({ ok: false, code: 'ALREADY_EXISTS' })
  for (const protocol of protocols) {
    const client = world.clients[protocol]
    const request = eve.trade('WETH', 'USDC', '0.01', protocol, { wallet_ref: 'vault' })
    expect(await client.call('trading.execute', request, eve.token)).toMatchObject({ ok: false, code: 'NOT_FOUND' })
    const wallets = await output(client.call('trading.listWallets', {}, eve.token))
    expect(wallets.map(({ wallet_ref }: { wallet_ref: string }) => wallet_ref)).toEqual(['default'])
  }
})

test('its wallet trades, and its key cannot be taken away', async () => {
  await output(world.clients.rest.call('chain.claimFaucet', { address: vault }))
  await until(async () => ((await world.askChain('eth_getBalance', [vault, 'latest'])) === '0x0' ? undefined : true))
  const before = await sent()
  const done = await trade()
  expect(done.status).toBe('success')
  const transaction = (await world.askChain('eth_getTransactionByHash', [done.tx_hash])) as { from: string }
  expect(transaction.from).toBe(vault.toLowerCase())
  expect(await sent()).toBe(before + 1)
  const taken = { wallet_ref: 'vault', account_password: 'correct horse battery', keystore_password: 'another one' }
  const refusal = await world.clients.rest.call('trading.exportWallet', taken, ada.token)
  expect(refusal).toMatchObject({ ok: false, code: 'FAILED_PRECONDITION' })
})

test('while it is down a trade waits with its nonce, and is sent once when it is back', async () => {
  const before = await sent()
  await signer.kill()
  expect(await grant(ada.email, vault, 'later')).toMatchObject({ ok: false, code: 'UNAVAILABLE', retryAfterSeconds: 1 })
  for (const seen of [door.methods, door.params]) seen.splice(0)
  const done = trade()
  await until(async () => (door.methods.length > 2 ? true : undefined))
  expect(await newest()).toMatchObject({ state: 'reserved', status: 'pending' })
  expect(await waiting()).toBe(before)
  await signer.restart()
  expect((await done).status).toBe('success')
  expect(await waiting()).toBe(before + 1)
  const asked = door.params.filter((_, index) => door.methods[index] === 'eth_signTransaction') as { nonce: string }[][]
  expect(new Set(asked.map(([transaction]) => Number(transaction?.nonce)))).toEqual(new Set([before]))
})

test('a signed transaction that differs from the requested one is never sent', async () => {
  const before = await waiting()
  let thefts = 0
  const stolen = await theft()
  door.instead = (_method, response) => {
    thefts += 1
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: stolen }))
  }
  const failed = await trade()
  expect(failed).toMatchObject({ status: 'failed', message: expect.stringContaining('a different transaction') })
  expect(thefts).toBe(1)
  expect(await waiting()).toBe(before)
  door.instead = null
  expect((await trade()).status).toBe('success')
  expect(await waiting()).toBe(before + 1)
})

/** A transaction that the real signer signed for the vault earlier: a payment to a stranger. */
async function theft(): Promise<string> {
  const [from, to] = await signer.call('eth_accounts')
  const fees = { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1', gas: '0x5208' }
  const nonce = `0x${(await waiting()).toString(16)}`
  return await signer.call('eth_signTransaction', { from, to, value: '0x1', nonce, chainId: '0x14a34', ...fees })
}
