import { z } from 'zod'
import { type RateRule, type RateRules, rateRules, type Tier, tiers, trialRates } from '../contract/shared/limits.ts'

/** How a setting is read, what it means, and whether its value must not be shown. */
export type Setting = { schema: z.ZodType; meaning: string; secret?: true }

/** A whole number in decimal digits. Another notation, such as 1e3, is refused as a likely mistake. */
export function whole(least: number, most: number) {
  const fits = (text: string) => /^\d{1,15}$/.test(text) && Number(text) >= least && Number(text) <= most
  return z.string().refine(fits, `must be a whole number from ${least} to ${most}`).transform(Number)
}

/** A setting with one of the given values. */
export function oneOf<const Words extends readonly [string, ...string[]]>(...words: Words) {
  return z.enum(words, `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`)
}

/** A TCP port; 0 takes a free one. */
export const port = whole(0, 65_535)

/** Texts separated by commas. */
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
)

/** An amount in USD, as text. */
export const usd = z.string().regex(/^\d{1,15}(\.\d{1,2})?$/, 'must be an amount in USD such as 250 or 250.50')

/** An amount of native currency above zero, as text. */
export const units = z
  .string()
  .regex(/^(?=.*[1-9])\d{1,15}(\.\d{1,18})?$/, 'must be an amount above zero such as 10 or 0.5')

/** A fee in gwei above zero, as text. */
export const gwei = z
  .string()
  .regex(/^(?=.*[1-9])\d{1,9}(\.\d{1,9})?$/, 'must be an amount of gwei above zero such as 30 or 0.05')

/** A key of 32 bytes in hex, as in the generated key files. */
export const masterKey = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits, as openssl rand -hex 32 prints')

/** A URL with http or https. */
export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be a URL with http or https' })

/** A URL to which paths are appended. */
export const baseUrl = <Url extends z.ZodType<string>>(url: Url) =>
  url.refine((text) => !/[?#]/.test(text), 'must have no query, since paths are appended to it')

/** An address or a network of IPv4 or IPv6. */
export const network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
  error: ({ input }) => `${input} is neither an address nor a network such as 10.0.0.0/8`,
})

/** An origin exactly as browsers send it. */
export const origin = z.string().refine((text) => originFault(text) === null, {
  error: ({ input }) => originFault(String(input)) ?? '',
})

function originFault(text: string): string | null {
  if (text === '*') return "must name each origin, such as https://app.example ('*' is not accepted)"
  const written = URL.parse(text)?.origin ?? 'null'
  if (written === 'null') return 'must be origins such as https://app.example'
  return written === text ? null : `must be origins, without a path or a slash at the end: write ${written}`
}

/** A key that callers send, and the tier it stands for. */
export const apiKey = z
  .string()
  .regex(
    new RegExp(`^[\\w.~-]{16,128}:(${Object.keys(tiers).join('|')})$`),
    'must be key:tier, the key of 16 to 128 of A-Z a-z 0-9 . _ ~ -',
  )
  .transform((text) => {
    const [key = '', tier] = text.split(':')
    return { key, tier: tier as Tier } // the pattern allows tiers only
  })

/** The address of a token. */
export const tokenAddress = z.templateLiteral(
  ['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)],
  'must be addresses of tokens: 0x and 40 hex digits',
)

/** The id of a chain. */
export const chainNumber = whole(1, 999_999_999_999_999)

const faucetTier = /(?:developer|pro|enterprise)=(?=[\d.]*[1-9])\d{1,15}(?:\.\d{1,18})?\/[1-9]\d{0,7}/

/** What the faucet pays to callers with an API key, as tier=amount/seconds separated by commas. */
export const faucetTiers = z
  .string()
  .regex(
    new RegExp(`^(${faucetTier.source})(,${faucetTier.source})*$`),
    'must be tier=amount/seconds, such as developer=100/86400,pro=50/43200',
  )

/** The amount in units and the seconds between two payments to one address, by tier. */
export function faucetTerms(text: string | undefined): { tier: Tier; amount: string; seconds: number }[] {
  return (text?.split(',') ?? []).map((part) => {
    const [tier = '', amount = '', seconds] = part.split(/[=/]/)
    return { tier: tier as Tier, amount, seconds: Number(seconds) } // the pattern allows tiers only
  })
}

/**
 * The default rates, those of `trialRates` wider where `trial` is true, with the changes of RATE_RULES. Throws an Error that
 * names an invalid change.
 */
export function rulesOf(text: string | undefined, { trial }: { trial: boolean }): RateRules {
  const rules: Record<string, RateRule> = { ...rateRules }
  for (const name of trial ? trialRates.classes : [])
    rules[name] = { ...rateRules[name], limit: rateRules[name].limit * trialRates.factor }
  for (const part of text?.split(',') ?? []) {
    const [name = '', numbers = ''] = part.split('=')
    const [limit = 0, seconds = 0, burst] = numbers.split('/').map(Number)
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    if (rule === undefined)
      throw new Error(`RATE_RULES has the unknown class ${name}; the classes are ${Object.keys(rateRules).join(', ')}.`)
    if (limit < 1 || seconds < 1) throw new Error(`RATE_RULES: ${name} needs at least 1 request in at least 1 second.`)
    if (burst === 0) throw new Error(`RATE_RULES: ${name} needs a burst of at least 1 request, or no burst.`)
    const { burst: _, ...same } = rule
    rules[name] = { ...same, limit, windowSeconds: seconds, ...(burst === undefined ? {} : { burst }) }
  }
  return rules as RateRules
}
