import type { Grant, Session } from '../../../domain/ports/accounts.ts'
import type { SessionRow } from '../entities/accounts.ts'

export function sessionOf(row: SessionRow): Session {
  const { id, userId, name, createdAt, grantFacts, expiresAt, lastUsedAt, lastUsedProtocol, lastUsedAddress } = row
  const isUsed = lastUsedAt != null && lastUsedProtocol != null && lastUsedAddress != null
  return {
    id,
    userId,
    name,
    createdAt,
    grant: grantOf(grantFacts),
    expiresAt: expiresAt ?? null,
    lastUse: isUsed ? { at: lastUsedAt, protocol: lastUsedProtocol, address: lastUsedAddress } : null,
  }
}

/**
 * A grant as stored: its caps are text, for JSON has no large numbers. Earlier versions wrote no `overMcp`, and a person
 * agreed to every trade.
 */
type StoredGrant = { scopes: Grant['scopes']; overMcp?: 'above_threshold' } & Record<
  'maxTradeUsd' | 'maxDailyUsd' | 'confirmAboveUsd',
  string | null
>

export function grantText({ scopes, maxTradeUsd, maxDailyUsd, confirmAboveUsd, overMcp }: Grant): string {
  const text = (usd: bigint | null) => usd?.toString() ?? null
  const stored: StoredGrant = {
    scopes,
    maxTradeUsd: text(maxTradeUsd),
    maxDailyUsd: text(maxDailyUsd),
    confirmAboveUsd: text(confirmAboveUsd),
    ...(overMcp === 'above_threshold' ? { overMcp } : {}),
  }
  return JSON.stringify(stored)
}

export function grantOf(text: string | null | undefined): Grant | null {
  if (text == null) return null
  const { scopes, maxTradeUsd, maxDailyUsd, confirmAboveUsd, overMcp, ...unknown } = JSON.parse(text) as StoredGrant // `grantText` wrote it
  const usd = (stored: string | null | undefined) => (stored == null ? null : BigInt(stored))
  return {
    // A limit that a newer version wrote and this one cannot keep: the session may do nothing.
    scopes: Object.keys(unknown).length === 0 ? scopes : [],
    maxTradeUsd: usd(maxTradeUsd),
    maxDailyUsd: usd(maxDailyUsd),
    confirmAboveUsd: usd(confirmAboveUsd),
    overMcp: overMcp ?? 'every_trade',
  }
}
