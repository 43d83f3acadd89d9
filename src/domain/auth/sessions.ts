import type { contract } from '../../contract/index.ts'
import { bounds } from '../../contract/shared/limits.ts'
import type { InputOf } from '../../contract/shared/operation.ts'
import { type Fail, invalid } from '../core/errors.ts'
import type { Handler, Principal, TokenHolder } from '../core/handler.ts'
import { capMs } from '../policies/trade-policy.ts'
import type { Grant, Session } from '../ports/accounts.ts'
import type { Ports } from '../ports/index.ts'
import type { TradingSettings } from '../ports/trade-policy.ts'
import { endSession } from '../sessions/end-session.ts'
import { parseUnits, usdNumber, usdText } from '../values/money.ts'
import { presentToken } from './tokens.ts'

/**
 * The session, where the caller may change it: with a user token any session of the account, with a session token only
 * its own; PERMISSION_DENIED for another of the account. NOT_FOUND for sessions of other accounts, as for unknown ones.
 */
async function ownSession(
  ports: Pick<Ports, 'sessions'>,
  caller: Principal,
  sessionId: string,
  fail: Fail<'NOT_FOUND' | 'PERMISSION_DENIED'>,
): Promise<Session> {
  const session = await ports.sessions.find(sessionId)
  if (session === null || session.userId !== caller.userId) throw fail('NOT_FOUND', noSuchSession)
  if (caller.sessionId !== null && caller.sessionId !== sessionId) throw fail('PERMISSION_DENIED', siblingSession)
  return session
}

/** The message for a session that does not exist or is not the caller's. */
const noSuchSession = 'You have no session with this id. Call auth.listSessions for the ids of your sessions.'

const siblingSession =
  'The token of a session changes that session only. Use a user token from auth.login for the other sessions.'

type ReadNeeds = 'clock' | 'executions' | 'sessions'
type EntryNeeds = ReadNeeds | 'tokens'

/** Sessions of the caller as callers see them. With a user token each has a new token, so that the client can continue it. */
async function presentSessions(ports: Pick<Ports, EntryNeeds>, caller: TokenHolder, sessions: readonly Session[]) {
  const continued = (session: Session) => (caller.sessionId === null ? newToken(ports, caller, session) : null)
  return await entriesOf(ports, caller.userId, sessions, continued)
}

async function entriesOf(
  ports: Pick<Ports, ReadNeeds>,
  userId: number,
  sessions: readonly Session[],
  tokenOf: (session: Session) => ReturnType<typeof newToken> | null,
) {
  const since = new Date(ports.clock.now().getTime() - capMs)
  const traded = await ports.executions.tradedSince(userId, since)
  return sessions.map((session) => {
    const token = tokenOf(session)
    const { usd, trades } = traded.sessions.get(session.id) ?? { usd: 0n, trades: 0 }
    return {
      ...presentEntry(session),
      ...(token === null ? presentEnd(session) : { token, expires_at: token.expires_at }),
      ...presentUse(session),
      used_today_usd: usdNumber(usd),
      trades,
    }
  })
}

async function presentSession(ports: Pick<Ports, EntryNeeds>, caller: TokenHolder, session: Session) {
  const [entry] = await presentSessions(ports, caller, [session])
  return entry as NonNullable<typeof entry>
}

/** A new token of a session, for a caller with a user token. */
function newToken(
  { sessions, tokens }: Pick<Ports, 'sessions' | 'tokens'>,
  { generation }: TokenHolder,
  session: Session,
) {
  const issued = tokens.issueSession({ id: session.userId, generation }, session.id)
  sessions.note(session.id, issued.expiresAt)
  return presentToken(issued)
}

function presentEnd({ expiresAt }: Session) {
  return expiresAt === null ? {} : { expires_at: expiresAt.toISOString() }
}

function presentUse({ lastUse }: Session) {
  if (lastUse === null) return {}
  const { at, protocol, address } = lastUse
  return { last_used_at: at.toISOString(), last_used_protocol: protocol, last_used_address: address }
}

/** A session without its token. */
function presentEntry({ id, name, createdAt, grant }: Session) {
  return {
    session_id: id,
    name,
    created_at: createdAt.toISOString(),
    ...presentGrant(grant),
    ...warningOf(grant),
  }
}

/** Warns of trades without a person whose number nothing but the caps of the account bounds. */
function warningOf(grant: Grant | null) {
  if (grant === null || !grant.scopes.includes('trade') || grant.maxDailyUsd !== null || !grant.confirmAboveUsd)
    return {}
  const { confirmAboveUsd: above, maxTradeUsd: most, overMcp } = grant
  const usd = usdText(most !== null && most < above ? most : above)
  const where = overMcp === 'every_trade' ? ', except over MCP' : ''
  const warning =
    `Its trades of up to ${usd} USD each need no confirmation${where}, and it has no cap of its own on what they add up to. ` +
    'A session with grant.max_daily_usd has one.'
  return { warning }
}

/**
 * A grant as callers see it, and which trades over MCP need a person. Absent where the session may do everything, and where
 * MCP serves none of its trades.
 */
export function presentGrant(grant: Grant | null) {
  if (grant === null) return {}
  const { scopes, maxTradeUsd, maxDailyUsd, confirmAboveUsd, overMcp } = grant
  const shown = {
    scopes: [...scopes],
    ...(maxTradeUsd === null ? {} : { max_trade_usd: usdNumber(maxTradeUsd) }),
    ...(maxDailyUsd === null ? {} : { max_daily_usd: usdNumber(maxDailyUsd) }),
    ...(confirmAboveUsd === null ? {} : { confirm_above_usd: usdNumber(confirmAboveUsd) }),
  }
  const tradesByMcp = scopes.includes('trade') && confirmAboveUsd !== null
  return { grant: shown, ...(tradesByMcp ? { over_mcp: overMcp } : {}) }
}

type GrantInput = NonNullable<InputOf<typeof contract.auth.createSession>['grant']>

/** The grant that is asked for; INVALID_ARGUMENT for a cap above the one that the gateway sets for every account. */
function readGrant(
  { scopes, max_trade_usd: trade, max_daily_usd: day, confirm_above_usd: above }: GrantInput,
  settings: TradingSettings,
): Grant {
  const cap = (usd: number | undefined, most: bigint | null, field: string) => {
    if (usd === undefined) return null
    const value = parseUnits(decimalOf(usd), 18, field)
    if (most !== null && value > most)
      throw invalid(field, `must be at most ${usdText(most)}, the cap of every account`)
    return value
  }
  const confirmAboveUsd = cap(above, null, 'grant.confirm_above_usd')
  return {
    scopes: [...new Set(scopes)],
    maxTradeUsd: cap(trade, settings.maxTradeUsd, 'grant.max_trade_usd'),
    maxDailyUsd: cap(day, settings.maxDailyUsd, 'grant.max_daily_usd'),
    confirmAboveUsd,
    overMcp: confirmAboveUsd ? 'above_threshold' : 'every_trade',
  }
}

/** The shortest decimal text of a number, without an exponent. */
function decimalOf(value: number): string {
  return value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 18 })
}

type Needs = 'clock' | 'ids' | 'sessions' | 'tokens' | 'tradingSettings'

/** Starts a session with what it may do, and issues its token. */
export const createSession: Handler<typeof contract.auth.createSession, Needs> = async (ports, input, call) => {
  const { userId } = call.principal
  const grant = input.grant === undefined ? null : readGrant(input.grant, ports.tradingSettings)
  const draft = { id: ports.ids.uuid(), userId, name: input.name ?? '', createdAt: ports.clock.now(), grant }
  const session = await ports.sessions.create(draft, bounds.liveSessions)
  if (session === null) {
    const limit = bounds.liveSessions
    throw call.fail(
      'FAILED_PRECONDITION',
      `An account has at most ${limit} sessions. Delete one that you no longer use.`,
    )
  }
  return { ...presentEntry(session), token: newToken(ports, call.principal, session) }
}

/** The account's sessions, newest first. */
export const listSessions: Handler<typeof contract.auth.listSessions, EntryNeeds> = async (ports, _input, call) => {
  const sessions = await ports.sessions.list(call.principal.userId)
  return await presentSessions(ports, call.principal, sessions)
}

/** The same for a reader that must never hold a token. */
export const listSessionsOnly: Handler<typeof contract.auth.listSessions, ReadNeeds> = async (ports, _input, call) => {
  const { userId } = call.principal
  return await entriesOf(ports, userId, await ports.sessions.list(userId), () => null)
}

/** Gives a session of the caller another name. */
export const renameSession: Handler<typeof contract.auth.renameSession, EntryNeeds> = async (ports, input, call) => {
  const { id } = await ownSession(ports, call.principal, input.session_id, call.fail)
  const renamed = await ports.sessions.rename(id, input.name)
  if (renamed === null) throw call.fail('NOT_FOUND', noSuchSession)
  return await presentSession(ports, call.principal, renamed)
}

type EndNeeds = 'executions' | 'sessions'

/** Deletes a session of the caller; its token is refused from then on, and what waits of it is ended. */
export const deleteSession: Handler<typeof contract.auth.deleteSession, EndNeeds> = async (ports, input, call) => {
  const session = await ownSession(ports, call.principal, input.session_id, call.fail)
  if (!(await endSession(ports, session))) throw call.fail('NOT_FOUND', noSuchSession)
  return {}
}
