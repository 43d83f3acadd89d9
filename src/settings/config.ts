import { z } from 'zod'
import type { RateRules } from '../contract/shared/limits.ts'
import { nearestName } from '../contract/shared/nearest-name.ts'
import { rulesOf } from './setting-kinds.ts'
import { settings } from './settings.ts'

type Settings = { [Name in keyof typeof settings]: z.output<(typeof settings)[Name]['schema']> }

export type Config = Readonly<
  Settings & {
    sandbox: boolean
    /** Milliseconds for which the gateway goes on serving once it is to stop. */
    drainMs: number
    rateRules: RateRules | 'off'
    tradingEnabled: boolean
    /** Private key that pays the faucet of a public chain; null turns the faucet off, also while trading is off. */
    faucetKey: string | null
  }
>

/** Settings that need a public chain; the embedded one has its own parent chain and rollup node. */
const publicOnly = ['CHAIN_WS_URL', 'ROLLUP_RPC_URL', 'L1_RPC_URL', 'L1_PORTAL_ADDRESS'] as const

/** Reads the settings from an environment. Throws one Error that names every invalid setting, never a secret value. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => isSet(value)))
  const shape = Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, setting.schema]))
  const parsed = z.object(shape).safeParse(given)
  if (!parsed.success) {
    const lines = parsed.error.issues.map(({ path, message }) => `  ${faultLine(String(path[0]), message, given)}`)
    throw new Error(
      `These settings are not valid:\n${lines.join('\n')}\nsrc/settings/README.md explains every setting.`,
    )
  }
  const values = parsed.data as Settings
  const sandbox = values.CHAIN_RPC_URL === undefined
  if (values.SANDBOX_URL !== undefined && !sandbox)
    throw new Error('SANDBOX_URL and CHAIN_RPC_URL are two chains: set one of them.')
  requireDistinctPorts(values, sandbox)
  if (values.DATABASE_URL === undefined && new Set(values.ROLES).size < 2)
    throw new Error(
      `ROLES ${values.ROLES.join()} needs the other role in another process, and they share PostgreSQL: set DATABASE_URL.`,
    )
  if ((values.TLS_CERT === undefined) !== (values.TLS_KEY === undefined))
    throw new Error('TLS_CERT and TLS_KEY go together: set both or neither.')
  if ((values.CAPTCHA_VERIFY_URL === undefined) !== (values.CAPTCHA_SECRET === undefined))
    throw new Error('CAPTCHA_VERIFY_URL and CAPTCHA_SECRET go together: set both or neither.')
  if (values.CAPTCHA_SITE_KEY !== undefined && values.CAPTCHA_VERIFY_URL === undefined)
    throw new Error('CAPTCHA_SITE_KEY needs CAPTCHA_VERIFY_URL and CAPTCHA_SECRET.')
  requireModel(values)
  const misplaced = sandbox ? publicOnly.filter((name) => values[name] !== undefined) : []
  if (misplaced.length > 0)
    throw new Error(
      `${misplaced.join(', ')} without CHAIN_RPC_URL: set it too, or leave them out to use the embedded chain.`,
    )
  const capped = values.MAX_TRADE_USD !== undefined && values.MAX_DAILY_USD !== undefined
  const tradingEnabled = sandbox ? values.TRADING_ENABLED !== 'false' : values.TRADING_ENABLED === 'true' && capped
  return Object.freeze({
    ...values,
    sandbox,
    drainMs: 1_000 * (values.DRAIN_SECONDS ?? (values.DATABASE_URL === undefined ? 0 : 5)),
    rateRules:
      values.RATE_LIMITS === 'off'
        ? 'off'
        : rulesOf(values.RATE_RULES, { trial: sandbox && isThisMachineOnly(values) }),
    tradingEnabled,
    faucetKey: sandbox || !tradingEnabled ? null : (values.FAUCET_KEY ?? null),
  })
}

/** Ends the name of a setting that names the file with a secret one. */
const fileSuffix = '_FILE'

const secretNames = Object.entries(settings).flatMap(([name, setting]) => ('secret' in setting ? [name] : []))

/**
 * The environment with the secrets that its files hold, each under the name of its setting too. `read` returns the text of a
 * file, and throws where it cannot. Throws an Error that names each setting whose file is of no use.
 */
export function withSecretFiles(
  environment: Record<string, string | undefined>,
  read: (file: string) => string,
): Record<string, string | undefined> {
  const given = { ...environment }
  const faults: string[] = []
  for (const name of secretNames) {
    const file = given[name + fileSuffix]
    if (!isSet(file)) continue
    if (isSet(given[name])) faults.push(`${name} and ${name}${fileSuffix} are both set: set one of them.`)
    else given[name] = secretIn(file, read)
    if (!isSet(given[name])) faults.push(`${name}${fileSuffix} names a file that cannot be read, or is empty: ${file}`)
  }
  if (faults.length > 0) throw new Error(faults.join('\n'))
  return given
}

/** The text of a file without the newline at its end; undefined where it cannot be read. */
function secretIn(file: string, read: (file: string) => string): string | undefined {
  try {
    return read(file).replace(/\r?\n$/, '')
  } catch {
    return undefined
  }
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== ''
}

/** Every text of a configuration that must not be shown: secret settings, and the parts of their URLs that may hold a key. */
export function secretTexts(config: Config): string[] {
  const secret = Object.entries(settings).filter(([, setting]) => 'secret' in setting)
  const texts = secret.flatMap(([name]) => textsOf(config[name as keyof Settings]))
  return [...new Set(texts.filter((text) => text.length >= shortestSecret))].toSorted((a, b) => b.length - a.length)
}

/** Shorter texts occur inside ordinary words; path parts of a URL shorter than the second limit are rarely keys. */
const [shortestSecret, shortestPathKey] = [6, 16]

function textsOf(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsOf)
  if (typeof value !== 'string') return []
  const url = URL.parse(value)
  if (url === null) return [value]
  const keys = url.pathname.split('/').filter((part) => part.length >= shortestPathKey)
  return [value, url.password, ...keys, ...url.searchParams.values()]
}

/** Two servers cannot share a port, except 0, which takes a free one for each. */
function requireDistinctPorts(values: Settings, sandbox: boolean): void {
  const names = [
    'HTTP_PORT',
    'GRPC_PORT',
    'RPC_PORT',
    ...(sandbox ? (['L1_RPC_PORT'] as const) : []),
    ...(sandbox && values.SANDBOX_URL === undefined ? (['PROVIDERS_PORT'] as const) : []),
  ] as const
  for (const [port, sharing] of Map.groupBy(names, (name) => values[name]))
    if (port !== 0 && sharing.length > 1)
      throw new Error(`${sharing.join(' and ')} name the same port ${port}: choose another port for each.`)
}

/** A model server needs the name of a model; a model or a key without a server has no effect. */
function requireModel({ LLM_API_KEY: key, LLM_BASE_URL: url, LLM_MODEL: model }: Settings): void {
  if (url !== undefined && model === undefined)
    throw new Error('LLM_BASE_URL without LLM_MODEL: set the name of the model too.')
  if (url === undefined && (model !== undefined || key !== undefined))
    throw new Error(
      'LLM_MODEL and LLM_API_KEY go with LLM_BASE_URL: set it too, or leave them out to use embedded-rules.',
    )
}

/** What is wrong with a setting, with its value unless it is a secret. */
function faultLine(name: string, message: string, given: Record<string, string | undefined>): string {
  const secret = 'secret' in settings[name as keyof Settings]
  return `${name}: ${message}${secret ? '' : `, not '${given[name]?.slice(0, 100)}'`}`
}

/** One line for each probable misspelling in an environment. It has no effect. */
export function warningsOf(given: Record<string, string | undefined>): string[] {
  const names = Object.keys(given).filter((name) => isSet(given[name]))
  const misspelt = misspeltSettings(names, [...Object.keys(settings), ...secretNames.map((name) => name + fileSuffix)])
  return misspelt.map(({ name, meant }) => `${name} is not a setting and has no effect; did you mean ${meant}?`)
}

/** A warning where other machines can reach the gateway without TLS and without a proxy that ends it, else null. */
export function exposureWarning({ HOST, TLS_CERT, TRUSTED_PROXIES }: Config): string | null {
  if (isLoopback(HOST) || TLS_CERT !== undefined || TRUSTED_PROXIES !== undefined) return null
  return `HOST ${HOST} serves other machines without TLS: tokens and passwords can be read on the way. Set TLS_CERT and TLS_KEY, or TRUSTED_PROXIES to the proxy that ends TLS.`
}

/** True where only this machine can reach the gateway: a proxy or a public address brings others. */
function isThisMachineOnly({
  HOST,
  TRUSTED_PROXIES,
  PUBLIC_URL,
}: Pick<Config, 'HOST' | 'TRUSTED_PROXIES' | 'PUBLIC_URL'>): boolean {
  return isLoopback(HOST) && TRUSTED_PROXIES === undefined && PUBLIC_URL === undefined
}

export function isLoopback(host: string): boolean {
  const bare = host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  return bare === 'localhost' || bare === '::1' || /^127(\.\d{1,3}){3}$/.test(bare)
}

/** The environment of this process. No other module reads it. */
export function environment(): Record<string, string | undefined> {
  return process.env
}

/** The settings as a Markdown table. */
export function settingsTable(): string {
  const defaults = readConfig({})
  const rows = Object.entries(settings).map(([name, setting]) => {
    const value = defaults[name as keyof Settings]
    const secret = 'secret' in setting ? ' (secret)' : ''
    return `| \`${name}\` | ${value === undefined ? 'unset' : `\`${String(value)}\``} | ${setting.meaning}${secret} |`
  })
  const fromFile = `| \`<NAME>${fileSuffix}\` | unset | File with a secret setting, in place of \`<NAME>\`; a newline at its end is left out |`
  return ['| setting | default | meaning |', '|---|---|---|', ...rows, fromFile].join('\n')
}

/** A line for each setting below a heading, in columns: name, value (secrets hidden), source, meaning. */
export function describeConfig(given: Record<string, string | undefined>): string {
  const config = readConfig(given)
  const rows = Object.entries(settings).map(([name, setting]) => {
    const isFile = 'secret' in setting && isSet(given[name + fileSuffix])
    const source = isFile ? 'file' : isSet(given[name]) ? 'environment' : 'default'
    const value = config[name as keyof Settings]
    const shown = value === undefined ? '(unset)' : 'secret' in setting ? '(hidden)' : String(value)
    return [name, shown, source, setting.meaning]
  })
  const table = [['SETTING', 'VALUE', 'SOURCE', 'MEANING'], ...rows]
  const widths = [0, 1, 2].map((column) => Math.min(Math.max(...table.map((row) => row[column]?.length ?? 0)), 40))
  return table.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n')
}

/** An unknown name, and the setting that was probably meant. */
type Misspelt = { name: string; meant: string }

/** First letters that both names must share; other names belong to other programs. */
const commonStart = 2

/** The unknown names that resemble a setting, each with the nearest one. */
function misspeltSettings(names: readonly string[], known: readonly string[]): Misspelt[] {
  return names
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const start = name.slice(0, commonStart).toUpperCase()
      const meant = nearestName(
        name,
        known.filter((setting) => setting.startsWith(start)),
      )
      return meant === null ? [] : [{ name, meant }]
    })
}
