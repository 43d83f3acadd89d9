import type { FundingState, SealedWallet } from './wallets.ts'

export type Account = { id: number; email: string; createdAt: Date }

export type Session = { id: string; userId: number; name: string; createdAt: Date }

/** Accounts by lower-cased e-mail. */
export interface Accounts {
  /** Creates the account and its first wallet in one transaction; null where the e-mail is taken. */
  create(fields: {
    email: string
    passwordHash: string
    wallet: SealedWallet
    funding: FundingState
    at: Date
  }): Promise<Account | null>
  findByEmail(email: string): Promise<(Account & { passwordHash: string }) | null>
  find(userId: number): Promise<Account | null>
  /** The hash that the account's password is verified against; null for an unknown account. */
  passwordHash(userId: number): Promise<string | null>
}

/** Sessions. A deletion takes effect in every process at once. */
export interface Sessions {
  /** Null where the account already has `limit` live sessions; counting and creating are one transaction. */
  create(session: Session, limit: number): Promise<Session | null>
  /** Newest first. */
  list(userId: number): Promise<Session[]>
  find(sessionId: string): Promise<Session | null>
  /** Null for an unknown session. */
  rename(sessionId: string, name: string): Promise<Session | null>
  /** Deletes the session with its messages and streams; false for an unknown session. */
  delete(sessionId: string): Promise<boolean>
  /** The check of every request: one prepared read, no entity is built. */
  isLive(sessionId: string): Promise<boolean>
  /** Fires when the session is deleted, by this process or another; ends its open streams. */
  onDeleted(sessionId: string, listener: () => void): () => void
}

/** argon2id. `verify` takes the same time for an unknown account (`hash` null). */
export interface Passwords {
  hash(password: string): Promise<string>
  verify(password: string, hash: string | null): Promise<boolean>
}

export type TokenClaims =
  | { kind: 'user'; userId: number; sessionId: null; issuedAt: Date; expiresAt: Date }
  | { kind: 'session'; userId: number; sessionId: string; issuedAt: Date; expiresAt: Date }

/** Signed bearer tokens of two kinds; neither is accepted in place of the other. */
export interface Tokens {
  issueUser(userId: number): { accessToken: string; expiresAt: Date }
  issueSession(userId: number, sessionId: string): { accessToken: string; expiresAt: Date }
  /** The claims of a token that this gateway signed and that has not expired, else what is wrong with it. */
  verify(token: string): TokenClaims | 'invalid' | 'expired'
}
