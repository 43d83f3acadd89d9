/** Sizes, counts and times that bound every request, in one place. Units are in the names. */
export const bounds = {
  bodyBytes: 1_048_576,
  jsonDepth: 16,
  /** Fields and list items of one request, at every depth together. */
  jsonValues: 20_000,
  fieldNameCharacters: 200,
  messageCharacters: 8_000,
  messagesPerRequest: 100,
  /** What one session keeps: a message more than either is refused. */
  sessionMessages: 20_000,
  sessionCharacters: 16_000_000,
  /** Answers of a session that wait for the one that is being written. */
  queuedAnswers: 5,
  /** The newest messages that an answer is written from. */
  messagesOfContext: 100,
  violationsListed: 20,
  violationBytes: 4_096,
  liveSessions: 50,
  walletsPerAccount: 10,
  marketSubscriptions: 20,
  pageItems: 100,
  /** The most slippage that a swap may allow, in basis points. */
  slippageBps: 5_000,
  /** How long a sent transaction is waited for, unless the caller says how long, and at most. */
  inclusionMs: { usual: 10_000, most: 30_000 },
  rpcBatchMessages: 100,
  /** Of the answers to one batch; the requests after that are refused, as is an answer that is longer by itself. */
  rpcBatchCharacters: 33_554_432,
  /** Requests of one socket that are answered at the same time; the next ones wait. */
  socketRequests: 32,
  /** Of one socket, or of one caller on the other protocols, where every stream is one. */
  subscriptions: 100,
  /** Filters that are alive for one API key or client address: over plain HTTP there is no connection to count them by. */
  nodeFilters: 20,
  /** Events that wait for a slow reader of a socket. */
  socketBacklogBytes: 8_388_608,
} as const

/**
 * One rate rule: at most `limit` requests in any `windowSeconds`, counted per account, client address or API key. With
 * `burst` it is a bucket instead: so many requests at once, given back at `limit` in `windowSeconds`.
 */
export type RateRule = { limit: number; windowSeconds: number; per: 'account' | 'address' | 'key'; burst?: number }

/** The default rate table. A request counts against its operation's class; configuration may change any number. */
export const rateRules = {
  default: { limit: 100, windowSeconds: 60, per: 'account' },
  chat: { limit: 20, windowSeconds: 60, per: 'account' },
  execute: { limit: 10, windowSeconds: 60, per: 'account' },
  keys: { limit: 10, windowSeconds: 3_600, per: 'account' },
  register: { limit: 5, windowSeconds: 3_600, per: 'address' },
  login: { limit: 20, windowSeconds: 60, per: 'address' },
  node: { limit: 100, windowSeconds: 1, burst: 200, per: 'address' },
  developer: { limit: 500, windowSeconds: 1, burst: 750, per: 'key' },
  pro: { limit: 1_000, windowSeconds: 1, burst: 2_000, per: 'key' },
  enterprise: { limit: 10_000, windowSeconds: 1, burst: 20_000, per: 'key' },
  claim: { limit: 20, windowSeconds: 60, per: 'address' },
  faucet: { limit: 10, windowSeconds: 86_400, per: 'address' },
} as const satisfies Record<string, RateRule>

export type RateRules = Record<keyof typeof rateRules, RateRule>

/** Who asks the node: the rule that counts its requests in place of `node`, and its open sockets at one address. */
export const tiers = {
  free: { rule: 'node', sockets: 10 },
  developer: { rule: 'developer', sockets: 10 },
  pro: { rule: 'pro', sockets: 50 },
  enterprise: { rule: 'enterprise', sockets: 1_000 },
} as const satisfies Record<string, { rule: keyof typeof rateRules; sockets: number }>

export type Tier = keyof typeof tiers

/** What an operation may count against. Rules of tiers are no classes, nor is `faucet`, which counts payments alone. */
export type RateClass = Exclude<keyof typeof rateRules, Tier | 'faucet'>
