/** Bounds of sizes, counts and times. The names have the units. */
export const bounds = {
  bodyBytes: 1_048_576,
  jsonDepth: 16,
  /** Fields and list items of one request, at all depths together: the most of any operation, and the usual most. */
  jsonValues: 20_000,
  usualValues: 500,
  /** A refused input counts as one unit of work for each of these that it has begun. */
  refusedUnit: { values: 2_000, characters: 65_536 },
  /** Fields or items of one object or list, which no input goes beyond. */
  entries: 1_000,
  /** Fields of one object whose names are free, and the most values of an operation that takes one beside other fields. */
  freeFields: 500,
  freeValues: 600,
  /** Values of one research: the arguments of twenty calls. */
  researchValues: 12_000,
  fieldNameCharacters: 200,
  messageCharacters: 8_000,
  messagesPerRequest: 100,
  /** Bounds of one session: a message beyond either is refused. */
  sessionMessages: 20_000,
  sessionCharacters: 16_000_000,
  /** Answers of a session that can wait while another is being written. */
  queuedAnswers: 5,
  /** The newest messages that are the context of an answer. */
  messagesOfContext: 100,
  violationsListed: 20,
  ignoredListed: 10,
  violationBytes: 4_096,
  liveSessions: 50,
  /** Trades that may wait for the account's confirmation at once: of the account, and of one session. */
  waitingTrades: { account: 20, session: 5 },
  walletsPerAccount: 10,
  marketSubscriptions: 20,
  pageItems: 100,
  /** How many times faster than a real market the prices of the sandbox may move. */
  sandboxSpeed: { least: 0.1, most: 60 },
  /** Methods of a node whose calls are listed. */
  countedMethods: 60,
  /** Buckets of a series. */
  seriesBuckets: 1_000,
  /** The most slippage that a swap may allow, in basis points. */
  slippageBps: 5_000,
  /** How long to wait for the block of a sent transaction: by default, and at most. */
  inclusionMs: { usual: 10_000, most: 30_000 },
  rpcBatchMessages: 100,
  /** Total length of the responses of a batch. Further requests are refused, and so is one longer response. */
  rpcBatchCharacters: 33_554_432,
  /** Requests of one socket that run concurrently; the next ones wait. */
  socketRequests: 32,
  /** Open streams of one socket, or of one caller on the other protocols. */
  subscriptions: 100,
  /** Live quotes of one account that are open at once, and how long each goes on. */
  liveQuotes: { most: 5, ms: 600_000 },
  /** Filters of one API key or client address: plain HTTP has no connection to count them by. */
  nodeFilters: 20,
  /** Bytes of events that may wait for a slow reader of a socket. */
  socketBacklogBytes: 8_388_608,
} as const

/**
 * One rate rule: at most `limit` requests in any `windowSeconds`, counted per account, client address, API key or by the
 * operator's token. With
 * `burst` it is a token bucket of that size instead, refilled at `limit` in `windowSeconds`.
 */
export type RateRule = {
  limit: number
  windowSeconds: number
  per: 'account' | 'address' | 'key' | 'operator'
  burst?: number
  /** What it counts instead of requests. */
  counts?: 'million gas' | 'wrong passwords'
}

/** The default rate table. A request counts against its operation's class; configuration may change any number. */
export const rateRules = {
  default: { limit: 100, windowSeconds: 60, per: 'account' },
  chat: { limit: 20, windowSeconds: 60, per: 'account' },
  execute: { limit: 10, windowSeconds: 60, per: 'account' },
  restrain: { limit: 60, windowSeconds: 60, per: 'account' },
  operator: { limit: 100, windowSeconds: 60, per: 'operator' },
  keys: { limit: 10, windowSeconds: 3_600, per: 'account' },
  register: { limit: 5, windowSeconds: 3_600, per: 'address' },
  register_failed: { limit: 20, windowSeconds: 3_600, per: 'address' },
  login: { limit: 20, windowSeconds: 60, per: 'address' },
  guesses: { limit: 10, windowSeconds: 600, per: 'account', burst: 10, counts: 'wrong passwords' },
  guesses_address: { limit: 20, windowSeconds: 600, per: 'address', burst: 20, counts: 'wrong passwords' },
  node: { limit: 100, windowSeconds: 1, burst: 200, per: 'address' },
  developer: { limit: 500, windowSeconds: 1, burst: 750, per: 'key' },
  pro: { limit: 1_000, windowSeconds: 1, burst: 2_000, per: 'key' },
  enterprise: { limit: 10_000, windowSeconds: 1, burst: 20_000, per: 'key' },
  work: { limit: 1_200, windowSeconds: 60, per: 'address', burst: 1_200, counts: 'million gas' },
  work_developer: { limit: 6_000, windowSeconds: 60, per: 'key', burst: 6_000, counts: 'million gas' },
  work_pro: { limit: 12_000, windowSeconds: 60, per: 'key', burst: 12_000, counts: 'million gas' },
  work_enterprise: { limit: 120_000, windowSeconds: 60, per: 'key', burst: 120_000, counts: 'million gas' },
  claim: { limit: 20, windowSeconds: 60, per: 'address' },
  faucet: { limit: 10, windowSeconds: 86_400, per: 'address' },
} as const satisfies Record<string, RateRule>

/**
 * The most that all sessions with a grant of an account may use together of a rate or a number of streams of the account,
 * so that no agent uses up what its owner needs.
 */
export function grantedShare(limit: number): number {
  return Math.max(1, Math.floor(limit / 2))
}

export type RateRules = Record<keyof typeof rateRules, RateRule>

/**
 * Classes of people who try the gateway out: ten times as wide on the embedded chain while only this machine can reach it.
 * Those that slow down guessing stay as they are.
 */
export const trialRates = {
  classes: ['default', 'chat', 'execute', 'operator', 'register', 'register_failed'],
  factor: 10,
} as const

/**
 * Tiers of API keys: the rules that count requests to the node, and the gas of those that use a million or more; and the
 * sockets of one address.
 */
export const tiers = {
  free: { rule: 'node', work: 'work', sockets: 10 },
  developer: { rule: 'developer', work: 'work_developer', sockets: 10 },
  pro: { rule: 'pro', work: 'work_pro', sockets: 50 },
  enterprise: { rule: 'enterprise', work: 'work_enterprise', sockets: 1_000 },
} as const satisfies Record<string, { rule: keyof typeof rateRules; work: keyof typeof rateRules; sockets: number }>

export type Tier = keyof typeof tiers

/**
 * Classes that count successful requests alone, each with the rule that counts the failed ones, so that mistakes do not
 * use up the rate.
 */
export const failureRules = { register: 'register_failed' } as const satisfies {
  [Class in keyof typeof rateRules]?: keyof typeof rateRules
}

/**
 * The rate classes of operations. The rules of tiers, of work, of failures, `guesses`, which counts wrong passwords, and
 * `faucet`, which counts payments, are not classes.
 */
export type RateClass = Exclude<
  keyof typeof rateRules,
  | Tier
  | (typeof tiers)[Tier]['work']
  | (typeof failureRules)[keyof typeof failureRules]
  | 'faucet'
  | 'guesses'
  | 'guesses_address'
>
