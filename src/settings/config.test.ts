import { expect, test } from 'vitest'
import { describeConfig, exposureWarning, readConfig, secretTexts, warningsOf, withSecretFiles } from './config.ts'
import { faucetTerms } from './setting-kinds.ts'
import { settings } from './settings.ts'

test('an empty environment is the sandbox with trading on', () => {
  const config = readConfig({})
  expect(config).toMatchObject({
    sandbox: true,
    tradingEnabled: true,
    HTTP_PORT: 8000,
    GRPC_PORT: 50_051,
    RPC_PORT: 8545,
  })
})

test('on a public chain trading stays off until it is enabled and both caps are set', () => {
  const chain = { CHAIN_RPC_URL: 'https://one.example,https://two.example', TRADING_ENABLED: 'true' }
  expect(readConfig(chain)).toMatchObject({
    sandbox: false,
    tradingEnabled: false,
    CHAIN_RPC_URL: ['https://one.example', 'https://two.example'],
  })
  expect(readConfig({ ...chain, MAX_TRADE_USD: '100', MAX_DAILY_USD: '1000' }).tradingEnabled).toBe(true)
})

test('on a public chain the faucet is off until trading is enabled and it has a key', () => {
  const FAUCET_KEY = `0x${'1a'.repeat(32)}`
  const chain = { CHAIN_RPC_URL: 'https://one.example', FAUCET_KEY }
  const trading = { TRADING_ENABLED: 'true', MAX_TRADE_USD: '100', MAX_DAILY_USD: '1000' }
  expect(readConfig(chain).faucetKey).toBeNull()
  for (const name of Object.keys(trading))
    expect(readConfig({ ...chain, ...trading, [name]: undefined }).faucetKey).toBeNull()
  expect(readConfig({ ...chain, ...trading, FAUCET_KEY: undefined }).faucetKey).toBeNull()
  expect(readConfig({ ...chain, ...trading }).faucetKey).toBe(FAUCET_KEY)
  expect(describeConfig({ ...chain, ...trading })).not.toContain(FAUCET_KEY)
})

test('the most that gas may cost is in gwei, with decimals', () => {
  expect(readConfig({ MAX_FEE_GWEI: '0.05' }).MAX_FEE_GWEI).toBe('0.05')
  for (const fee of ['0', '-1', '1e3', '0.0000000001', '5 gwei'])
    expect(() => readConfig({ MAX_FEE_GWEI: fee })).toThrow(/MAX_FEE_GWEI: must be an amount of gwei above zero/)
})

test('a captcha verifier and its secret go together, and faucet amounts are above zero', () => {
  const verifier = { CAPTCHA_VERIFY_URL: 'https://verifier.example/siteverify' }
  expect(() => readConfig(verifier)).toThrow(/CAPTCHA_VERIFY_URL and CAPTCHA_SECRET/)
  expect(() => readConfig({ CAPTCHA_SECRET: 'site-secret' })).toThrow(/CAPTCHA_VERIFY_URL and CAPTCHA_SECRET/)
  expect(readConfig({ ...verifier, CAPTCHA_SECRET: 'site-secret' })).toMatchObject(verifier)
  expect(() => readConfig({ CAPTCHA_SITE_KEY: 'key' })).toThrow(/CAPTCHA_SITE_KEY needs CAPTCHA_VERIFY_URL/)
  expect(describeConfig({ ...verifier, CAPTCHA_SECRET: 'site-secret' })).not.toContain('site-secret')
  for (const amount of ['0', '0.0', '-1', '1e3', '0.0000000000000000001'])
    expect(() => readConfig({ FAUCET_AMOUNT: amount, FAUCET_DAILY_CAP: amount })).toThrow(
      /FAUCET_AMOUNT.*\n.*FAUCET_DAILY/,
    )
})

test('a language model needs a server and a name, and neither its address nor its key is shown', () => {
  const server = { LLM_BASE_URL: 'https://models.example/hush/v1', LLM_MODEL: 'small', LLM_API_KEY: 'sk-hush' }
  expect(readConfig(server)).toMatchObject(server)
  expect(describeConfig(server)).not.toContain('hush')
  expect(() => readConfig({ LLM_BASE_URL: server.LLM_BASE_URL })).toThrow(/LLM_BASE_URL without LLM_MODEL/)
  for (const name of ['LLM_MODEL', 'LLM_API_KEY'])
    expect(() => readConfig({ [name]: 'sk-hush' })).toThrow(/^LLM_MODEL and LLM_API_KEY go with LLM_BASE_URL/)
  expect(() => readConfig({ ...server, LLM_API_KEY: 'sk-hush\n' })).toThrow(/LLM_API_KEY: (?!.*sk-)/)
})

test('settings of a public chain are refused without one, and their values are hidden', () => {
  const about = {
    ROLLUP_RPC_URL: 'https://rollup.example/key',
    L1_RPC_URL: 'https://one.example/key, https://two.example/key',
    L1_PORTAL_ADDRESS: `0x${'aB'.repeat(20)}`,
  }
  expect(() => readConfig(about)).toThrow('ROLLUP_RPC_URL, L1_RPC_URL, L1_PORTAL_ADDRESS without CHAIN_RPC_URL')
  expect(readConfig({ ...about, CHAIN_RPC_URL: 'https://three.example' })).toMatchObject({
    L1_RPC_URL: ['https://one.example/key', 'https://two.example/key'],
  })
  expect(() => readConfig({ ...about, L1_PORTAL_ADDRESS: '0x1' })).toThrow(/L1_PORTAL_ADDRESS: must be 0x and 40 hex/)
  expect(describeConfig({ ...about, CHAIN_RPC_URL: 'https://three.example' })).not.toMatch(/\.example\/key/)
})

test.each(['nginx', '10.0.0.0/99', '300.1.1.1', '10.0.0.1;10.0.0.2'])('no proxy is %s', (entry) => {
  expect(() => readConfig({ TRUSTED_PROXIES: `10.0.0.0/8,${entry}` })).toThrow(
    `TRUSTED_PROXIES: ${entry} is neither an address nor a network such as 10.0.0.0/8`,
  )
  expect(readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, ::1,fd00::/8' }).TRUSTED_PROXIES).toHaveLength(3)
})

test('an invalid secret is named without its value', () => {
  const read = () => readConfig({ MASTER_KEY: 'not-a-key-at-all', HTTP_PORT: '70000' })
  expect(read).toThrow(/HTTP_PORT/)
  expect(read).toThrow(/MASTER_KEY/)
  expect(read).not.toThrow(/not-a-key-at-all/)
})

test('a base URL with a query is refused, because paths are appended to it', () => {
  const wrong = { TVL_URL: 'https://tvl.example/?key=secret', EXCHANGE_STREAM_URL: 'wss://exchange.example/#secret' }
  expect(() => readConfig(wrong)).toThrow(/TVL_URL: must have no query.*\n.*EXCHANGE_STREAM_URL: must have no query/)
  expect(() => readConfig(wrong)).not.toThrow(/secret/)
})

test('an invalid setting that is not secret is quoted with what it must be', () => {
  const wrong = {
    HTTP_PORT: 'abc',
    GRPC_PORT: '1e3',
    LOG_LEVEL: 'loud',
    PUBLIC_URL: 'gateway.example',
    CHAIN_RPC_URL: 'https://key.example,ftp://key.example',
    OPERATOR_TOKEN: 'short-secret',
  }
  expect(() => readConfig(wrong)).toThrow(
    [
      'These settings are not valid:',
      "  HTTP_PORT: must be a whole number from 0 to 65535, not 'abc'",
      "  GRPC_PORT: must be a whole number from 0 to 65535, not '1e3'",
      "  PUBLIC_URL: must be a URL with http or https, not 'gateway.example'",
      '  CHAIN_RPC_URL: must be a URL with http or https',
      '  OPERATOR_TOKEN: must have at least 16 characters',
      "  LOG_LEVEL: must be trace, debug, info, warn, error or silent, not 'loud'",
      'src/settings/README.md explains every setting.',
    ].join('\n'),
  )
})

test.each([
  ['*', "must name each origin, such as https://app.example ('*' is not accepted), not '*'"],
  [
    'https://app.example/',
    "without a path or a slash at the end: write https://app.example, not 'https://app.example/'",
  ],
  ['https://APP.example', 'write https://app.example'],
  ['https://app.example:443', 'write https://app.example'],
  ['app.example', 'must be origins such as https://app.example'],
  ['null', 'must be origins such as https://app.example'],
  ['https://good.example,https://bad.example/x', 'write https://bad.example'],
])('the CORS origins %s are refused with what to write', (CORS_ORIGINS, message) => {
  expect(() => readConfig({ CORS_ORIGINS })).toThrow(message)
})

test('origins and a public URL are normalised', () => {
  const { CORS_ORIGINS, PUBLIC_URL } = readConfig({
    CORS_ORIGINS: 'https://app.example, http://localhost:3000',
    PUBLIC_URL: 'https://gateway.example/base//',
  })
  expect(CORS_ORIGINS).toEqual(['https://app.example', 'http://localhost:3000'])
  expect(PUBLIC_URL).toBe('https://gateway.example/base')
})

test('rates change by class, and off removes them', () => {
  const { rateRules } = readConfig({ RATE_RULES: 'chat=40/60' })
  expect(rateRules === 'off' ? null : rateRules.chat).toEqual({ limit: 40, windowSeconds: 60, per: 'account' })
  expect(readConfig({ RATE_LIMITS: 'off' }).rateRules).toBe('off')
  const node = readConfig({ RATE_RULES: 'node=5/1,pro=50/1/90' }).rateRules
  expect(node).toMatchObject({ pro: { limit: 50, windowSeconds: 1, burst: 90, per: 'key' } })
  expect(node === 'off' ? null : node.node).toEqual({ limit: 5, windowSeconds: 1, per: 'address' })
  for (const wrong of ['chat=1/60,', 'chat=1/60/0', 'chat=0/1', 'chat'])
    expect(() => readConfig({ RATE_RULES: wrong })).toThrow(/RATE_RULES/)
  for (const name of ['nothing', 'constructor', 'valueof'])
    expect(() => readConfig({ RATE_RULES: `${name}=1/1` })).toThrow(
      `the unknown class ${name}; the classes are default, chat`,
    )
})

test('who tries the embedded chain out on one machine has ten times the rates, but not to guess passwords or keys', () => {
  const limits = (environment: Record<string, string>) => {
    const { rateRules } = readConfig(environment)
    if (rateRules === 'off') throw new Error('The rates are off.')
    return ['default', 'chat', 'execute', 'register', 'login', 'register_failed', 'keys', 'node'].map(
      (name) => rateRules[name as keyof typeof rateRules].limit,
    )
  }
  const table = [100, 20, 10, 5, 20, 20, 10, 100]
  expect(limits({})).toEqual([1_000, 200, 100, 50, 20, 200, 10, 100])
  expect(limits({ RATE_RULES: 'default=50/60' })).toEqual([50, 200, 100, 50, 20, 200, 10, 100])
  expect(limits({ HOST: '0.0.0.0' })).toEqual(table)
  expect(limits({ CHAIN_RPC_URL: 'http://127.0.0.1:1', CHAIN_ID: '8453' })).toEqual(table)
})

test('API keys name their tier; an invalid one is not shown', () => {
  const one = 'a-key-of-a-customer'
  expect(readConfig({ RPC_API_KEYS: `${one}:pro, other_key_0123456789:enterprise` }).RPC_API_KEYS).toEqual([
    { key: one, tier: 'pro' },
    { key: 'other_key_0123456789', tier: 'enterprise' },
  ])
  for (const wrong of [one, `${one}:gold`, 'short:pro']) {
    const read = () => readConfig({ RPC_API_KEYS: wrong })
    expect(read).toThrow(/RPC_API_KEYS/)
    expect(read).not.toThrow(wrong)
  }
})

test('the printed configuration hides secrets', () => {
  const text = describeConfig({ OPERATOR_TOKEN: 'a-token-that-is-secret' })
  expect(text).toContain('OPERATOR_TOKEN')
  expect(text).not.toContain('a-token-that-is-secret')
})

test.each([
  ['HTTP_PROT', 'HTTP_PORT'],
  ['RPC_PORTS', 'RPC_PORT'],
  ['RATE_LIMIT', 'RATE_LIMITS'],
  ['TRADING_ENABLE', 'TRADING_ENABLED'],
  ['chain_rpc_url', 'CHAIN_RPC_URL'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['REDIS_URI', 'REDIS_URL'],
  ['HOSTS', 'HOST'],
])('the misspelling %s is reported with the setting %s, without its value', (name, meant) => {
  expect(warningsOf({ [name]: 'a-value' })).toEqual([
    `${name} is not a setting and has no effect; did you mean ${meant}?`,
  ])
})

test('names of other programs and of settings are not reported', () => {
  const others = ['PATH', 'HOME', 'HOSTNAME', 'PORT', 'LOGNAME', 'LANG', 'PWD', 'SHELL', 'TERM', 'USER', 'SHLVL', 'PS1']
  for (const name of [...others, 'HTTP_PROXY', 'HTTPS_PROXY', 'NODE_ENV', 'TMPDIR', ...Object.keys(settings)])
    expect(warningsOf({ [name]: '1' })).toEqual([])
  expect(warningsOf({ HTTP_PROT: '' })).toEqual([])
})

test('a changed, missing, doubled or swapped letter is found in every long name', () => {
  for (const name of Object.keys(settings).filter(({ length }) => length >= 6))
    for (let place = 2; place < name.length - 1; place += 1) {
      const [before, at, next, after] = [name.slice(0, place), name[place], name[place + 1], name.slice(place + 1)]
      for (const slip of [
        `${before}#${after}`,
        before + after,
        before + at + at + after,
        before + next + at + after.slice(1),
      ])
        expect(slip in settings || warningsOf({ [slip]: '1' }).length === 1, slip).toBe(true)
    }
})

test('equal ports are refused by name, except 0 and those of a server that does not run', () => {
  expect(() => readConfig({ RPC_PORT: '8000' })).toThrow('HTTP_PORT and RPC_PORT name the same port 8000')
  expect(() => readConfig({ RPC_PORT: '8547' })).toThrow('RPC_PORT and L1_RPC_PORT name the same port 8547')
  expect(readConfig({ HTTP_PORT: '0', GRPC_PORT: '0' })).toMatchObject({ HTTP_PORT: 0, GRPC_PORT: 0 })
  expect(readConfig({ CHAIN_RPC_URL: 'https://one.example', RPC_PORT: '8547' })).toMatchObject({ RPC_PORT: 8547 })
})

test('faucet tiers are amounts and seconds by tier', () => {
  expect(faucetTerms(readConfig({ FAUCET_TIERS: 'developer=100/86400,pro=0.5/43200' }).FAUCET_TIERS)).toEqual([
    { tier: 'developer', amount: '100', seconds: 86_400 },
    { tier: 'pro', amount: '0.5', seconds: 43_200 },
  ])
  for (const wrong of [
    'free=1/1',
    'pro=0/60',
    'pro=0.00/60',
    'pro=1/0',
    'pro=1',
    'pro=1/60,',
    'pro=-1/60',
    'pro=1e3/60',
  ])
    expect(() => readConfig({ FAUCET_TIERS: wrong })).toThrow('FAUCET_TIERS: must be tier=amount/seconds')
})

test('secret texts are the secret settings, and the parts of their URLs that may be a key', () => {
  const config = readConfig({
    HTTP_PORT: '8000',
    OPERATOR_TOKEN: 'token-of-the-operator',
    RPC_API_KEYS: 'key-of-somebody-else:pro',
    CHAIN_RPC_URL: 'https://one.example/v2/0123456789abcdef0123,https://two.example/?key=short-key',
    DATABASE_URL: 'postgres://ada:word-of-ada@db.example/trident',
  })
  expect(secretTexts(config).toSorted()).toEqual(
    [
      ...['0123456789abcdef0123', 'https://one.example/v2/0123456789abcdef0123', 'https://two.example/?key=short-key'],
      ...[
        'key-of-somebody-else',
        'postgres://ada:word-of-ada@db.example/trident',
        'short-key',
        'token-of-the-operator',
      ],
      'word-of-ada',
    ].toSorted(),
  )
})

test.each([
  [{}, false],
  [{ HOST: '127.0.0.1' }, false],
  [{ HOST: 'localhost' }, false],
  [{ HOST: '0.0.0.0' }, true],
  [{ HOST: '10.0.0.7' }, true],
  [{ HOST: '0.0.0.0', TRUSTED_PROXIES: '10.0.0.0/8' }, false],
])('%j warns of tokens without TLS: %s', (given, warns) => {
  expect(exposureWarning(readConfig(given)) !== null).toBe(warns)
})

test('a secret setting is read from a file, without the newline at its end, and from one place alone', () => {
  const [first, second] = ['1a'.repeat(32), '2b'.repeat(32)]
  const files: Record<string, string> = {
    both: `${first},${second}\n`,
    one: `${first}\r\n`,
    wrong: `${first}x`,
    empty: '\n',
  }
  const given = (environment: Record<string, string>) =>
    withSecretFiles(environment, (file) => {
      const text = files[file]
      if (text === undefined) throw new Error('ENOENT')
      return text
    })
  const shared = given({ TOKEN_SECRET_FILE: 'both', HTTP_PORT: '1' })
  expect(readConfig(shared)).toMatchObject({ TOKEN_SECRET: [first, second], HTTP_PORT: 1 })
  expect(secretTexts(readConfig(shared))).toEqual(expect.arrayContaining([first, second]))
  expect(describeConfig(shared)).toMatch(/TOKEN_SECRET +\(hidden\) +file /)
  expect(readConfig(given({ MASTER_KEY_FILE: 'one', MASTER_KEY: '' })).MASTER_KEY).toBe(first)
  const both = { TOKEN_SECRET_FILE: 'both', TOKEN_SECRET: first, DATABASE_URL_FILE: 'none', MASTER_KEY_FILE: 'empty' }
  expect(() => given(both)).toThrow(/TOKEN_SECRET and TOKEN_SECRET_FILE are both set/)
  expect(() => given(both)).toThrow(/DATABASE_URL_FILE names a file that cannot be read, or is empty: none/)
  expect(() => given(both)).toThrow(/MASTER_KEY_FILE names a file that cannot be read, or is empty: empty/)
  expect(() => given(both)).not.toThrow(first)
  const invalid = () => readConfig(given({ MASTER_KEY_FILE: 'wrong' }))
  expect(invalid).toThrow('MASTER_KEY: must be 64 lower-case hex digits')
  expect(invalid).not.toThrow(first)
  expect(warningsOf({ MASTER_KEY_FILE: 'one', MASTER_KEY_FIEL: 'one' })).toEqual([
    'MASTER_KEY_FIEL is not a setting and has no effect; did you mean MASTER_KEY_FILE?',
  ])
})

test.each([
  [{}, 0],
  [{ DATABASE_URL: 'postgres://trident@127.0.0.1/trident' }, 5_000],
  [{ DATABASE_URL: 'postgres://trident@127.0.0.1/trident', DRAIN_SECONDS: '0' }, 0],
  [{ DRAIN_SECONDS: '60' }, 60_000],
])('with %j requests are taken for %d ms once the gateway is to stop', (given, ms) => {
  expect(readConfig(given).drainMs).toBe(ms)
  expect(() => readConfig({ ...given, DRAIN_SECONDS: '61' })).toThrow(/DRAIN_SECONDS: .*60, not '61'/)
})

test('the address of a sandbox has no login, and is not that of a chain beside it', () => {
  const withLogin = () => readConfig({ SANDBOX_URL: 'http://ada:hidden-word@127.0.0.1:8549' })
  expect(withLogin).toThrow(/SANDBOX_URL: must have no user or password: set SANDBOX_TOKEN/)
  expect(withLogin).not.toThrow(/hidden-word/)
  const both = { SANDBOX_URL: 'http://127.0.0.1:8549', CHAIN_RPC_URL: 'http://127.0.0.1:9999' }
  expect(() => readConfig(both)).toThrow(/set one of them/)
})
