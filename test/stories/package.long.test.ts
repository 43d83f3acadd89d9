import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { restClient } from '../clients/rest.ts'
import { dataFolder } from '../data-folder.ts'
import { startGateway } from '../gateway-process.ts'
import { fundedAccount, password } from '../world.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)
const folder = dataFolder()
const at = (...path: string[]) => join(folder.path, ...path)

/** The pinned Node before any other. */
const environment = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` }

beforeAll(async () => {
  copySources(at('clone'))
  symlinkSync(join(root, 'node_modules'), at('clone/node_modules'))
  const packed = await run('npm', ['pack', '--json', '--pack-destination', folder.path], {
    cwd: at('clone'),
    env: environment,
  })
  const archive = at(/"filename": "([^"]+)"/.exec(packed.stdout)?.[1] ?? '')
  console.info(`${statSync(archive).size} bytes of archive`)
  mkdirSync(at('app/node_modules/trident-gateway'), { recursive: true })
  execFileSync('tar', ['-xzf', archive, '--strip-components=1', '-C', at('app/node_modules/trident-gateway')])
  linkDependencies(at('app/node_modules'))
  mkdirSync(at('app/node_modules/.bin'))
  symlinkSync('../trident-gateway/src/cli/trident.mjs', at('app/node_modules/.bin/trident'))
  const start = 'exec node_modules/.bin/trident start'
  writeFileSync(at('app/package.json'), JSON.stringify({ name: 'app', private: true, scripts: { start } }))
}, 120_000)
afterAll(() => folder[Symbol.dispose]())

/** The files of this checkout as they are, without what is built. */
function copySources(to: string): void {
  const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, maxBuffer: 2 ** 26 })
  for (const file of tracked.toString().split('\n').filter(Boolean)) cpSync(join(root, file), join(to, file))
}

/** The packages of `npm ci --omit=dev`. With an archive npm may install newer ones of those that they need. */
function linkDependencies(to: string): void {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; optional?: boolean }>
  }
  for (const [path, { dev = false }] of Object.entries(packages)) {
    const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? []
    if (name === undefined || dev) continue
    mkdirSync(dirname(join(to, name)), { recursive: true })
    symlinkSync(join(root, path), join(to, name))
  }
}

const trident = async (...words: string[]) =>
  await run('npx', ['--no-install', 'trident', ...words], { cwd: at('app'), env: environment })

test('the command of an installed archive says what it does', async () => {
  expect((await trident('--help')).stdout).toMatch(/^Usage: trident <command>\n\n {2}start .*\n {2}mcp /)
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect((await trident('--version')).stdout).toBe(`${version}\n`)
  for (const words of [['mpc'], ['start', '--print-confg'], []])
    await expect(trident(...words)).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('Usage:') })
  expect((await trident('start', '--print-config')).stdout).toContain('HTTP_PORT')
})

test('a gateway that is started from an archive trades, exports a wallet, starts again, and serves all pages', async () => {
  using data = dataFolder()
  const swap = async (
    client: ReturnType<typeof restClient>,
    ada: Awaited<ReturnType<typeof fundedAccount>>,
    key: string,
  ) => await output(client.call('trading.execute', ada.trade('WETH', 'USDC', '0.01', key), ada.token))
  const started = async () => await startGateway(data.path, {}, at('app'))
  const { ada, tx } = await (async () => {
    await using gateway = await started()
    const client = restClient(gateway.urls.http)
    const account = await fundedAccount(client)
    const first = await swap(client, account, 'first')
    expect(first).toMatchObject({ status: 'success' })
    const asked = { wallet_ref: 'default', account_password: password, keystore_password: 'twelve letters' }
    expect(await client.call('trading.exportWallet', asked, account.token)).toMatchObject({ ok: true })
    for (const path of ['/', '/docs', '/docs/guides/start', '/docs/guides/tests', '/mcp.json', '/explorer'])
      expect([path, (await fetch(gateway.urls.http + path)).status]).toEqual([path, 200])
    return { ada: account, tx: first.tx_hash }
  })()
  await using gateway = await started()
  const client = restClient(gateway.urls.http)
  expect(await swap(client, ada, 'first')).toMatchObject({ tx_hash: tx, replayed: true })
  expect(await swap(client, ada, 'second')).toMatchObject({ status: 'success' })
  const grant = { scopes: ['read'], confirm_above_usd: 0 }
  const { token } = await output(client.call('auth.createSession', { grant }, ada.userToken))
  const env = { ...environment, TRIDENT_TOKEN: token.access_token, TRIDENT_URL: gateway.urls.http }
  const bridge = run('npx', ['--no-install', 'trident', 'mcp'], { cwd: at('app'), env })
  bridge.child.stdin?.end('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}\n')
  expect((await bridge).stdout).toContain('"name":"find_token"')
  expect(gateway.complaints()).toBe('')
})

test('a clone with the production packages alone serves everything but the console, which says how to get it', async () => {
  copySources(at('slim'))
  mkdirSync(at('slim/node_modules'))
  linkDependencies(at('slim/node_modules'))
  const built = await run(process.execPath, ['scripts/build-console.mjs'], { cwd: at('slim') })
  expect(built.stdout).toMatch(/not built: vite, a development package, is not installed/)
  await using gateway = await startGateway(null, {}, at('slim'))
  const page = await fetch(gateway.urls.http)
  expect([page.status, await page.text()]).toEqual([503, expect.stringContaining('without <code>--omit=dev</code>')])
  // On a busy machine the first block may be late.
  await expect
    .poll(async () => (await fetch(`${gateway.urls.http}/health/ready`)).status, { timeout: 60_000 })
    .toBe(200)
  for (const path of ['/docs', '/docs/guides/start', '/mcp.json', '/explorer'])
    expect([path, (await fetch(gateway.urls.http + path)).status]).toEqual([path, 200])
  const ada = await fundedAccount(restClient(gateway.urls.http))
  const trade = ada.trade('WETH', 'USDC', '0.01', 'first')
  expect(await output(restClient(gateway.urls.http).call('trading.execute', trade, ada.token))).toMatchObject({
    status: 'success',
  })
})

test('an older Node gets one line that says what to do', async () => {
  const old = `Object.defineProperty(process.versions, 'node', { value: '22.20.0' })`
  const preload = at('old.cjs')
  writeFileSync(preload, old)
  for (const file of ['src/cli/check-node.mjs', 'src/cli/trident.mjs'])
    await expect(run(process.execPath, ['--require', preload, join(root, file)])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^Trident runs on Node 24\.11 or newer; this is 22\.20\.0\. Put a newer Node on the path;.*\n$/,
      ),
    })
})
