import { z } from 'zod'
import { boundedArray } from './bounded.ts'

/** What a session may do, each by itself: none includes another. */
export const scopes = ['read', 'trade', 'transfer', 'admin'] as const

export type Scope = (typeof scopes)[number]

/** Which trades over MCP a person agrees to, in a session with a threshold. */
export const overMcp = z
  .enum(['above_threshold', 'every_trade'])
  .meta({ message: 'TradesOverMcp' })
  .describe(
    'Which trades over MCP need a person, in a session that may trade: above_threshold, those above confirm_above_usd; or ' +
      'every_trade, where that is 0 and in sessions from before there was a choice. A form may ask about the others too',
  )

export type PersonAgreesTo = z.output<typeof overMcp>

const usd = z.number().min(0).max(1e15)

const meanings = {
  scopes:
    'What it may do: read (quotes, risk, research, chat, lists, streams), trade (execute, simulations too, and with read ' +
    'confirming in chat), transfer (once there are transfers), admin (wallets and the account). None includes another',
  max_trade_usd: 'Highest value of one trade, in US dollars; absent: no cap of its own',
  max_daily_usd: 'Highest total value of its trades in any 24 hours, in US dollars; absent: no cap of its own',
  confirm_above_usd:
    'A trade worth more, in US dollars, or of unknown worth, waits until the account confirms it by trading.confirmExecution; ' +
    '0: every trade; absent: none',
}

/** Limits of a session, as they are requested. */
export const grantInput = z
  .strictObject({
    scopes: boundedArray(z.enum(scopes).meta({ message: 'Scope' }), scopes.length)
      .min(1)
      .describe(meanings.scopes),
    max_trade_usd: usd.describe(meanings.max_trade_usd).optional(),
    max_daily_usd: usd.describe(meanings.max_daily_usd).optional(),
    confirm_above_usd: usd.describe(meanings.confirm_above_usd).optional(),
  })
  .meta({ id: 'GrantInput', description: 'What a session may do; without it a session may do everything' })

/** Limits of a session, as they are shown. */
export const grant = z
  .object({
    scopes: z.array(z.enum(scopes).meta({ message: 'Scope' })).describe(meanings.scopes),
    max_trade_usd: z.number().describe(meanings.max_trade_usd).optional(),
    max_daily_usd: z.number().describe(meanings.max_daily_usd).optional(),
    confirm_above_usd: z.number().describe(meanings.confirm_above_usd).optional(),
  })
  .meta({ id: 'Grant', description: 'What a session may do; absent where it may do everything' })
