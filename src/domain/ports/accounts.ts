import type { PersonAgreesTo, Scope } from '../../contract/shared/grants.ts'
import type { FundingState, SealedWallet } from './wallets.ts'

/** Tokens of an account carry its generation: those of an earlier one are refused. */
export type Account = { id: number; email: string; createdAt: Date; generation: number }

/** How long the keys of a deleted account are kept, in which an operator can restore it. */
export const deletedAccountMs = 30 * 24 * 3_600_000

/**
 * What a session may do. USD in 1e-18; null is no cap of its own. A trade above `confirmAboveUsd` waits for the account; null:
 * none does. `overMcp` says which trades a person agrees to over MCP where there is a threshold.
 */
export type Grant = {
  scopes: readonly Scope[]
  maxTradeUsd: bigint | null
  maxDailyUsd: bigint | null
  confirmAboveUsd: bigint | null
  overMcp: PersonAgreesTo
}

/** A request with a session's token: when, by which protocol, from which address. */
export type SessionUse = { at: Date; protocol: string; address: string }

/**
 * `grant` is null for a session that may do everything. It never changes. `expiresAt` is the end of its newest token, null in
 * a session of an earlier version that was not used since.
 */
export type Session = {
  id: string
  userId: number
  name: string
  createdAt: Date
  grant: Grant | null
  expiresAt: Date | null
  lastUse: SessionUse | null
}

/** A session before its first use. */
export type NewSession = Omit<Session, 'expiresAt' | 'lastUse'>

/** Accounts by lower-cased e-mail. */
export interface Accounts {
  /** Creates the account and its first wallet, made for its id, in one transaction; null where the e-mail is taken. */
  create(fields: {
    email: string
    passwordHash: string
    wallet: (userId: number) => SealedWallet
    funding: FundingState
    at: Date
  }): Promise<Account | null>
  findByEmail(email: string): Promise<(Account & { passwordHash: string }) | null>
  /** Deleted accounts are not found, here and above. */
  find(userId: number): Promise<Account | null>
  /** The hash that the account's password is verified against; null for an unknown account. */
  passwordHash(userId: number): Promise<string | null>
  /**
   * Replaces the password and begins the next generation, which is returned; null where the hash is no longer `from`, so
   * that of simultaneous changes one counts.
   */
  changePassword(userId: number, from: string, to: string): Promise<number | null>
  /**
   * Deletes the account with its sessions and its e-mail, so that all its tokens and streams end; its trades, its audit log
   * and, until `purge`, its keys stay. 'trading' where a trade or a transaction is not final; null where the hash is no longer `from`.
   */
  delete(userId: number, from: string, at: Date): Promise<'deleted' | 'trading' | null>
  /** Erases the keys of up to `limit` accounts that were deleted before the moment, and returns of how many. */
  purge(before: Date, limit: number): Promise<number>
  /** Begins the next generation, so that all tokens of the account end. */
  endTokens(userId: number): Promise<void>
  /** Fires when the generation has passed, by this process or another. Returns a function that removes the listener. */
  onTokensEnded(userId: number, generation: number, listener: () => void): () => void
  /** Ends one token, until it would have expired. */
  revoke(token: { id: string; expiresAt: Date }, now: Date): Promise<void>
  isRevoked(tokenId: string): Promise<boolean>
  /** Fires when the token is revoked, like `onTokensEnded`. */
  onRevoked(tokenId: string, listener: () => void): () => void
}

/** Sessions. A deletion takes effect in every process at once. */
export interface Sessions {
  /** Null where the account already has `limit` live sessions; counting and creating are one transaction. */
  create(session: NewSession, limit: number): Promise<Session | null>
  /**
   * Keeps the newest use of a session, and the end of its newest token, in memory, from which `list` and `find` show them.
   * They are written once a minute, so that no request waits for it.
   */
  note(sessionId: string, expiresAt: Date, use?: SessionUse): void
  /** Newest first. */
  list(userId: number): Promise<Session[]>
  find(sessionId: string): Promise<Session | null>
  /** Null for an unknown session. */
  rename(sessionId: string, name: string): Promise<Session | null>
  /**
   * Deletes the session with its messages and streams; false for an unknown session. With `why`, which is not its owner's
   * wish, the end is written to the audit log.
   */
  delete(sessionId: string, why?: string): Promise<boolean>
  /**
   * The check of every request: one prepared read. The generation of the session's account, whether the token was revoked,
   * and what the session may do; null for an unknown session.
   */
  check(
    sessionId: string,
    tokenId: string,
  ): Promise<{ generation: number; revoked: boolean; grant: Grant | null } | null>
  /** Fires when the session is deleted, by this process or another; ends its open streams. */
  onDeleted(sessionId: string, listener: () => void): () => void
}

/** Hashes wait in one line for each purpose, so that a flood of one delays the others little. */
export type PasswordLine = 'login' | 'registration' | 'account'

/**
 * A password to check against a hash. Wrong ones count for `whose`, which no caller may choose freely, and for the address
 * that sent them, over all accounts; null counts for no address. `advice` is for one who sent too many for `whose`. With
 * `end` the last wrong one that the rule allows calls it, before the guess is answered; without, the others wait.
 */
export type Guess = {
  line: PasswordLine
  whose: string
  address: string | null
  password: string
  hash: string | null
  advice: string
  end?: () => Promise<void>
}

/** argon2id. */
export interface Passwords {
  hash(line: PasswordLine, password: string): Promise<string>
  /**
   * Whether the password is that of the hash; null is an unknown account, which takes as long. RATE_LIMITED after too many
   * wrong ones. Only a wrong password counts, also where many are checked at once.
   */
  verify(guess: Guess): Promise<boolean>
  /** Whether the password is among the 10,000 that are guessed first: common ones, and simple patterns or the own e-mail. */
  isGuessedFirst(password: string, email: string): Promise<boolean>
}

/** The addresses that an account was lately used from: wrong passwords sent by others do not slow them down. */
export interface KnownAddresses {
  /** Never rejects: no request depends on it. */
  note(userId: number, address: string, now: Date): Promise<void>
  /** Null for an unknown account: it takes as long. */
  has(userId: number | null, address: string, now: Date): Promise<boolean>
  /** Deletes up to `limit` addresses that were not used since the moment, and returns how many. */
  purge(before: Date, limit: number): Promise<number>
}

/** How long an address that an account was used from stays known to it. */
export const knownAddressMs = 90 * 24 * 3_600_000

export type TokenClaims =
  | ({ kind: 'user'; sessionId: null } & CommonClaims)
  | ({ kind: 'session'; sessionId: string } & CommonClaims)

type CommonClaims = { id: string; userId: number; generation: number; issuedAt: Date; expiresAt: Date }

/** Signed bearer tokens of two kinds; neither is accepted in place of the other. */
export interface Tokens {
  issueUser(account: Pick<Account, 'id' | 'generation'>): { accessToken: string; expiresAt: Date }
  issueSession(account: Pick<Account, 'id' | 'generation'>, sessionId: string): { accessToken: string; expiresAt: Date }
  /** The claims of a token that this gateway signed and that has not expired, else what is wrong with it. */
  verify(token: string): TokenClaims | 'invalid' | 'expired'
}
