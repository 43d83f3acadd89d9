import { followGas } from '../domain/books/follow-gas.ts'
import { createSnapshots } from '../domain/metrics/snapshots.ts'
import { createPurge } from '../domain/operator/purge.ts'
import type { Chain } from '../domain/ports/chains.ts'
import type { Ports } from '../domain/ports/index.ts'
import type { Sender } from '../domain/ports/outbox.ts'
import { type Job, startSchedule } from '../domain/sending/schedule.ts'
import { createFinalWatch, type FinalWatch } from '../domain/sending/watch-final.ts'
import { type Followers, openWorker } from '../domain/sending/worker.ts'
import { discardAbandoned } from '../domain/trading/discard-abandoned.ts'
import { followTrade } from '../domain/trading/follow-trade.ts'
import { followClaim, payQueued } from '../domain/wallets/faucet-payments.ts'
import { followFunding, fundWaiting } from '../domain/wallets/funding.ts'

type SenderPorts = Pick<
  Ports,
  | 'accountFeed'
  | 'accounts'
  | 'chains'
  | 'chatStreams'
  | 'clock'
  | 'executions'
  | 'faucetClaims'
  | 'finalBlocks'
  | 'grants'
  | 'halts'
  | 'ids'
  | 'knownAddresses'
  | 'ledger'
  | 'messages'
  | 'outbox'
  | 'quotes'
  | 'signer'
  | 'tradingSettings'
  | 'wallets'
  | 'workers'
>

export type RunningSender = Sender & {
  /** Continues what an earlier process left, then works at each block. Call it once, before anything is sent. */
  resume(): Promise<void>
  /** Starts no further work and waits for running work. Unfinished work continues at the next start. */
  close(): Promise<void>
}

type SenderOptions = {
  /** Milliseconds of one step of the worker. */
  stepMs?: number
  messageDays?: number | undefined
  /** False in a process that leaves sending to the workers of other processes. */
  takesSteps?: boolean
  /** Receives why the gateway itself halted trading on a chain. */
  halted?: (chain: Chain, reason: string) => void
}

/** A trade without a nonce after so many milliseconds was abandoned: no running process takes so long. */
const abandonedMs = 120_000

/** Milliseconds between checks for unfinished work of processes that ended. */
const sharedPatrolMs = 2_000

/**
 * Joins the outbox worker, the followers of its references and the periodic jobs. Failures in the background go to
 * `failed` and are repeated at the next block.
 */
export function openSender(
  ports: SenderPorts,
  failed: (failure: unknown) => void,
  { stepMs, messageDays, takesSteps = true, halted = () => undefined }: SenderOptions = {},
): RunningSender {
  const followers = followersOf(ports, failed)
  const { workers } = ports
  const watch = takesSteps ? createFinalWatch(ports, { halted, failed }) : null
  const options = { takesSteps, ...(stepMs === undefined ? {} : { stepMs }), ...(watch && { noteFinal: watch.note }) }
  const worker = openWorker({ ports, followers, failed, workers, ...options })
  const { shared } = ports.executions
  let schedule: ReturnType<typeof startSchedule> | null = null
  return {
    send: worker.send,
    sendTrade: worker.sendTrade,
    async resume() {
      if (watch === null) return
      await discardAbandoned(ports, shared ? abandonedMs : 0, failed)
      const jobs = jobsOf({ ...ports, sender: worker }, failed, { watch, messageDays })
      const { chains, clock } = ports
      schedule = startSchedule({
        chains,
        worker,
        workers,
        jobs,
        clock,
        patrolMs: shared ? sharedPatrolMs : null,
        failed,
      })
    },
    async close() {
      await Promise.all([worker.close(), schedule?.close()])
      await watch?.close()
    },
  }
}

function followersOf(ports: SenderPorts, failed: (failure: unknown) => void): Followers {
  return {
    trade: (chain, { id }, transactions) => followTrade(ports, chain, id, transactions),
    revoke: (chain, reference, transactions) => followGas(ports, chain, reference, transactions),
    gap: (chain, reference, transactions) => followGas(ports, chain, reference, transactions),
    wallet: (chain, reference, transactions) => followFunding(ports, chain, reference, transactions, failed),
    faucet: (chain, reference, transactions) => followClaim(ports, chain, reference, transactions),
  }
}

function jobsOf(
  ports: SenderPorts & Pick<Ports, 'sender'>,
  failed: (failure: unknown) => void,
  { watch, messageDays }: { watch: FinalWatch; messageDays: number | undefined },
): readonly Job[] {
  const defaultId = ports.chains.default.info.id
  const purge = createPurge(ports, messageDays)
  const snapshots = createSnapshots(ports)
  return [
    { name: 'watch final blocks', scope: 'chain', run: (chain) => watch.look(chain) },
    { name: 'fund wallets', scope: 'chain', run: (chain) => fundWaiting(ports, chain, failed) },
    {
      name: 'pay faucet claims',
      scope: 'chain',
      run: async (chain) => (chain.info.id === defaultId ? await payQueued(ports, failed) : undefined),
    },
    { name: 'discard abandoned', scope: 'process', run: () => discardAbandoned(ports, abandonedMs, failed) },
    { name: 'store snapshots', scope: 'process', run: snapshots },
    { name: 'purge', scope: 'process', run: purge },
  ]
}
