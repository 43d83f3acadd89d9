import { z } from 'zod'
import type { RateRules } from '../contract/shared/limits.ts'
import { misspeltSettings } from './misspelt-settings.ts'
import { changedRules } from './setting-kinds.ts'
import { settings } from './settings.ts'

type Settings = { [Name in keyof typeof settings]: z.output<(typeof settings)[Name]['schema']> }

export type Config = Readonly<
  Settings & {
    sandbox: boolean
    rateRules: RateRules | 'off'
    tradingEnabled: boolean
    /** Who pays the faucet of a public chain; null keeps it off, as trading is until all its settings are there. */
    faucetKey: string | null
  }
>

/** Settings that say more of a public chain; the embedded one has a parent and a rollup node of its own. */
const publicOnly = ['CHAIN_WS_URL', 'ROLLUP_RPC_URL', 'L1_RPC_URL', 'L1_PORTAL_ADDRESS'] as const

/** Reads the settings from an environment. Throws one Error that names every setting that is wrong, never its secret value. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  )
  const shape = Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, setting.schema]))
  const parsed = z.object(shape).safeParse(given)
  if (!parsed.success) {
    const lines = parsed.error.issues.map(({ path, message }) => `  ${faultLine(String(path[0]), message, given)}`)
    throw new Error(`These settings are not valid:\n${lines.join('\n')}\nREADME.md says what every setting means.`)
  }
  const values = parsed.data as Settings
  const sandbox = values.CHAIN_RPC_URL === undefined
  demandOwnPorts(values, sandbox)
  if ((values.TLS_CERT === undefined) !== (values.TLS_KEY === undefined))
    throw new Error('TLS_CERT and TLS_KEY go together: set both or neither.')
  if ((values.CAPTCHA_VERIFY_URL === undefined) !== (values.CAPTCHA_SECRET === undefined))
    throw new Error('CAPTCHA_VERIFY_URL and CAPTCHA_SECRET go together: set both or neither.')
  demandModel(values)
  const stray = sandbox ? publicOnly.filter((name) => values[name] !== undefined) : []
  if (stray.length > 0)
    throw new Error(`${stray.join(', ')} without CHAIN_RPC_URL: set that too, or none for the embedded chain.`)
  const capped = values.MAX_TRADE_USD !== undefined && values.MAX_DAILY_USD !== undefined
  const tradingEnabled = sandbox ? values.TRADING_ENABLED !== 'false' : values.TRADING_ENABLED === 'true' && capped
  return Object.freeze({
    ...values,
    sandbox,
    rateRules: values.RATE_LIMITS === 'off' ? 'off' : changedRules(values.RATE_RULES),
    tradingEnabled,
    faucetKey: sandbox || !tradingEnabled ? null : (values.FAUCET_KEY ?? null),
  })
}

/** Every text of a configuration that nobody may read: secret settings, and of their addresses what may hold a key. */
export function secretTexts(config: Config): string[] {
  const secret = Object.entries(settings).filter(([, setting]) => 'secret' in setting)
  const texts = secret.flatMap(([name]) => textsOf(config[name as keyof Settings]))
  return [...new Set(texts.filter((text) => text.length >= shortestSecret))].toSorted((a, b) => b.length - a.length)
}

/** What is shorter stands in other words too; the parts of an address's path that are no key are shorter than most keys. */
const [shortestSecret, shortestPathKey] = [6, 16]

function textsOf(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsOf)
  if (typeof value !== 'string') return []
  const url = URL.parse(value)
  if (url === null) return [value]
  const keys = url.pathname.split('/').filter((part) => part.length >= shortestPathKey)
  return [value, url.password, ...keys, ...url.searchParams.values()]
}

/** Two servers cannot share a port; 0 takes a free one for each. */
function demandOwnPorts(values: Settings, sandbox: boolean): void {
  const names = [
    'HTTP_PORT',
    'GRPC_PORT',
    'RPC_PORT',
    ...(sandbox ? (['L1_RPC_PORT', 'PROVIDERS_PORT'] as const) : []),
  ] as const
  for (const [port, sharing] of Map.groupBy(names, (name) => values[name]))
    if (port !== 0 && sharing.length > 1)
      throw new Error(`${sharing.join(' and ')} name the same port ${port}: give each one of its own.`)
}

/** A server is asked for a model by its name, and neither a model nor a key is of use without a server. */
function demandModel({ LLM_API_KEY: key, LLM_BASE_URL: url, LLM_MODEL: model }: Settings): void {
  if (url !== undefined && model === undefined)
    throw new Error('LLM_BASE_URL without LLM_MODEL: name the model that the server shall answer with.')
  if (url === undefined && (model !== undefined || key !== undefined))
    throw new Error('LLM_MODEL and LLM_API_KEY go with LLM_BASE_URL: set that too, or neither for embedded-rules.')
}

/** Says what is wrong with a setting, quoting it unless it is a secret. */
function faultLine(name: string, message: string, given: Record<string, string | undefined>): string {
  const secret = 'secret' in settings[name as keyof Settings]
  return `${name}: ${message}${secret ? '' : `, not '${given[name]?.slice(0, 100)}'`}`
}

/** Settings that the design names and a later release reads. */
const later = ['REDIS_URL']

/** What an environment sets in vain: settings that have no effect yet, and names that are likely slips. A line each. */
export function warningsOf(given: Record<string, string | undefined>): string[] {
  const names = Object.keys(given).filter((name) => given[name] !== undefined && given[name] !== '')
  const unused = later.filter((name) => names.includes(name))
  const misspelt = misspeltSettings(names, [...Object.keys(settings), ...later])
  return [
    ...(unused.length === 0 ? [] : [`Set but not built yet, and so without effect: ${unused.join(', ')}.`]),
    ...misspelt.map(({ name, meant }) => `${name} is no setting and has no effect; did you mean ${meant}?`),
  ]
}

/** The environment of this process: the only place that reads it. */
export function environment(): Record<string, string | undefined> {
  return process.env
}

/** The settings as a Markdown table: name, default, meaning. */
export function settingsTable(): string {
  const defaults = readConfig({})
  const rows = Object.entries(settings).map(([name, setting]) => {
    const value = defaults[name as keyof Settings]
    const secret = 'secret' in setting ? ' (secret)' : ''
    return `| \`${name}\` | ${value === undefined ? 'unset' : `\`${String(value)}\``} | ${setting.meaning}${secret} |`
  })
  return ['| setting | default | meaning |', '|---|---|---|', ...rows].join('\n')
}

/** One line a setting: value (secrets hidden), where it came from, meaning. */
export function describeConfig(given: Record<string, string | undefined>): string {
  const config = readConfig(given)
  const rows = Object.entries(settings).map(([name, setting]) => {
    const set = given[name] !== undefined && given[name] !== ''
    const value = config[name as keyof Settings]
    const shown = value === undefined ? '(unset)' : 'secret' in setting ? '(hidden)' : String(value)
    return `${name.padEnd(16)} ${shown.padEnd(12)} ${(set ? 'environment' : 'default').padEnd(12)} ${setting.meaning}`
  })
  return rows.join('\n')
}
