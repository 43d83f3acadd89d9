import type { Engine } from '../engine/engine.ts'
import { isDiskFailure } from '../log/disk-errors.ts'
import type { Head, MakePlan, SealRecord } from '../log/records.ts'
import { acceptanceRecords, withdrawFailed } from '../pool/admit.ts'
import { dropRecord } from '../pool/pending-pool.ts'
import { removeAccounts, syncPool } from '../pool/resubmit.ts'
import { type MinedBlock, readHead } from '../replay/replay.ts'
import { type ChainState, type RunningChain, running, type UnpublishedBlock } from './state.ts'

/** Produces the next block: mines it, unless an earlier call did, and publishes it. Then prepares the one after it. */
export async function produceBlock(state: ChainState, plan: MakePlan): Promise<Head> {
  return state.queue(async () => {
    const current = await running(state)
    state.unpublished ??= await mine(state, current.engine, plan)
    const head = await publish(state, current, state.unpublished)
    await state.placer.prepare(current.engine, () => plan(state.head).deposits, state.pool)
    return head
  })
}

/** Has the engine mine the next block. From then on the engine is ahead of what may be published. */
async function mine(state: ChainState, engine: Engine, makePlan: MakePlan): Promise<UnpublishedBlock> {
  const plan: SealRecord = { type: 'seal', number: state.head.number + 1, ...makePlan(state.head) }
  await withdrawFailed(engine, state.pool)
  const dropped = await syncPool(engine, state.pool, state.head.number, state.emit)
  const started = performance.now()
  state.ahead = true
  try {
    const mined = await minePlan(state, engine, plan)
    return { ...mined, dropped, milliseconds: performance.now() - started }
  } catch (error) {
    // The engine may have mined the block all the same, or have half of its deposits.
    await engine.kill()
    throw error
  }
}

async function minePlan(state: ChainState, engine: Engine, plan: SealRecord): Promise<MinedBlock> {
  await state.placer.place(engine, plan.deposits, state.pool)
  const mining = engine.call('evm_mine', [plan.timestamp])
  state.mining = mining.catch(() => {})
  await mining
  const { transactions, ...block } = await readHead(engine)
  // The log decides what the chain is: an engine with another chain is killed, and a new one is built from the log.
  if (block.number !== plan.number || block.parentHash !== state.head.hash)
    throw new Error(`mined block ${plan.number} but the engine is at ${block.number} of another chain`)
  const refused = plan.deposits.filter(({ hash }) => !transactions.includes(hash))
  // Left in the engine's pool, a refused deposit would stay there for good: its cause stays too. At this moment its
  // sender has no other transaction there.
  await removeAccounts(engine, new Set(refused.map(({ from }) => from)))
  for (const { hash } of refused) state.emit({ type: 'deposit-refused', hash })
  return { block, plan, transactions }
}

/** Writes a mined block to the log, which makes it part of the chain, and then to the stores that readers use. */
async function publish(state: ChainState, { engine, log }: RunningChain, mined: UnpublishedBlock): Promise<Head> {
  const { block, transactions, milliseconds } = mined
  try {
    if (state.ahead) {
      await logBlock(state, log, mined)
      for (const hash of transactions) state.pool.remove(hash)
      state.head = block
      state.ahead = false
      const steps = 1 + transactions.length
      state.history.steps += steps
      state.sinceSnapshot = {
        steps: state.sinceSnapshot.steps + steps,
        milliseconds: state.sinceSnapshot.milliseconds + milliseconds,
      }
    }
    await state.replay.record(mined, engine.call)
  } catch (error) {
    // A full disk may have room again later, and the block stays the same. After any other failure the log alone says
    // whether the block is part of the chain.
    if (isDiskFailure(error)) state.disk.failed(error)
    else await engine.kill()
    throw error
  }
  state.disk.well()
  state.unpublished = undefined
  state.published.notify(block)
  return block
}

/** Writes a block, those of its transactions that may not be logged, and the dropped ones: all of it or nothing. */
async function logBlock({ pool }: ChainState, log: RunningChain['log'], mined: UnpublishedBlock): Promise<void> {
  const { block, plan, transactions, dropped } = mined
  const unlogged = transactions.flatMap((hash) => pool.get(hash) ?? []).filter(({ logged }) => logged !== 'yes')
  const { number, hash } = block
  const lines = [...unlogged.flatMap(acceptanceRecords), ...dropped.map(dropRecord)]
  await log.append(...lines, plan, { type: 'block', number, hash, transactions: [...transactions] })
  for (const transaction of unlogged) transaction.logged = 'yes'
}
