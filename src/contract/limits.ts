/** Sizes, counts and times that bound every request, in one place. Units are in the names. */
export const bounds = {
  bodyBytes: 1_048_576,
  jsonDepth: 16,
  /** Fields and list items of one request, at every depth together. */
  jsonValues: 20_000,
  fieldNameCharacters: 200,
  messageCharacters: 8_000,
  messagesPerRequest: 100,
  violationsListed: 20,
  violationBytes: 4_096,
  liveSessions: 50,
  walletsPerAccount: 10,
  pageItems: 100,
  rpcBatchMessages: 100,
} as const

/** One rate rule: at most `limit` requests in `windowSeconds`, counted per account or per client address. */
export type RateRule = { limit: number; windowSeconds: number; per: 'account' | 'address' }

/** The default rate table. A request counts against its operation's class; configuration may change any number. */
export const rateRules = {
  default: { limit: 100, windowSeconds: 60, per: 'account' },
  chat: { limit: 20, windowSeconds: 60, per: 'account' },
  execute: { limit: 10, windowSeconds: 60, per: 'account' },
  register: { limit: 5, windowSeconds: 3_600, per: 'address' },
  login: { limit: 20, windowSeconds: 60, per: 'address' },
  node: { limit: 100, windowSeconds: 1, per: 'address' },
  faucet: { limit: 10, windowSeconds: 86_400, per: 'address' },
} as const satisfies Record<string, RateRule>

export type RateClass = keyof typeof rateRules
