import { AsyncLocalStorage } from 'node:async_hooks'
import { DomainError } from '../../../domain/core/errors.ts'
import type { Dialect } from './options.ts'
import type { Statements, Transactions } from './statements.ts'

/** What a process holds: the work on an account, or on a chain as a whole, by the number with which it took it. */
export type Lease = {
  chainId: number
  sender: string
  holder: string
  number: number
  /** True of one that is given up, and that the database does not know to be. */
  isOver: boolean
}

/** Checks a lease in every transaction of the work that it covers. */
export type Fences = {
  /** Runs work under a lease; without one, where none is needed. */
  run<T>(lease: Lease | null, work: () => Promise<T>): Promise<T>
  transactions: Transactions
  single: Statements
}

/**
 * Makes fenced transactions and single statements. The row of the lease is locked until the transaction ends, so that no
 * process takes the work over between the check and the commit. It is the first lock of a transaction, as in a reservation.
 */
export function createFences(dialect: Dialect, single: Statements, transactions: Transactions): Fences {
  if (dialect === 'sqlite') return { run: async (_, work) => await work(), transactions, single }
  const leases = new AsyncLocalStorage<Lease | null>()
  const fenced: Transactions = async (work) => {
    const lease = leases.getStore() ?? null
    if (lease === null) return await transactions(work)
    return await transactions(async (statements) => {
      await check(statements, lease)
      return await work(statements)
    })
  }
  return {
    run: async (lease, work) => await leases.run(lease, work),
    transactions: fenced,
    single: {
      ...single,
      run: async (sql, values) =>
        leases.getStore() == null
          ? await single.run(sql, values)
          : await fenced((statements) => statements.run(sql, values)),
    },
  }
}

const holds = 'select 1 from lane where chain_id = $1 and sender = $2 and holder = $3 and fence = $4 for share'

async function check(statements: Statements, { chainId, sender, holder, number }: Lease): Promise<void> {
  const rows = await statements.lists(holds, [chainId, sender, holder, number])
  if (rows.length === 0) throw new LeaseLost()
}

/** Another process has taken the work over, because this one did not say in time that it lives. */
export class LeaseLost extends DomainError {
  constructor() {
    super('UNAVAILABLE', 'Another process of the gateway has taken this work over. Try again in a moment.')
  }
}
