import { usePaced, useTicks } from '../../parts/paced.ts'
import { positionChanges } from '../../state/account.ts'
import { ClosedTrades } from './closed-trades.tsx'
import { OverTime } from './over-time.tsx'
import { Positions } from './positions.tsx'
import { Wallets } from './wallets.tsx'

/** Milliseconds between two reads, with changes and without: an account has 100 requests a minute for all its tabs. */
const pace = { changedMs: 10_000, calmMs: 30_000 }

/** What the account holds, what that earned, and what was sold. It is read again after changes, and for new prices. */
export function Portfolio() {
  const changes = usePaced(positionChanges.value, pace.changedMs)
  const ticks = useTicks(pace.calmMs)
  return (
    <>
      <Positions turn={`${changes}-${ticks}`} />
      <OverTime turn={changes} />
      <ClosedTrades turn={changes} />
      <Wallets turn={changes} />
    </>
  )
}
