import type { Migration } from '@mikro-orm/migrations'
import { MikroORM as PostgresOrm } from '@mikro-orm/postgresql'
import { MikroORM as SqliteOrm } from '@mikro-orm/sqlite'
import { expect, test } from 'vitest'
import { ormOptions } from '../../src/adapters/storage/connection/options.ts'
import { OutgoingEntity } from '../../src/adapters/storage/entities/sending.ts'
import { gasOfProfits, type ProfitGas } from '../../src/adapters/storage/migrations/gas-of-profits.ts'
import { Migration20261121165105_claim_hash } from '../../src/adapters/storage/migrations/postgresql/Migration20261121165105_claim_hash.ts'
import {
  type FillProfit,
  type PositionProfit,
  profitOfFills,
} from '../../src/adapters/storage/migrations/profit-of-fills.ts'
import { Migration20261121165104_claim_hash } from '../../src/adapters/storage/migrations/sqlite/Migration20261121165104_claim_hash.ts'
import { type Fill, volumeOfFills } from '../../src/adapters/storage/migrations/volume-of-fills.ts'
import { openFaucetClaims } from '../../src/adapters/storage/node/faucet-claims.ts'
import { openLedger } from '../../src/adapters/storage/trading/ledger.ts'
import { openOutbox } from '../../src/adapters/storage/trading/outgoing.ts'
import { postBooking } from '../../src/domain/books/post-booking.ts'
import { nativeToken } from '../../src/domain/ports/chains.ts'
import type { Outgoing } from '../../src/domain/ports/outbox.ts'
import { eachDatabase } from './databases.ts'
import { addAccount, at } from './rows.ts'

test.each(['sqlite', 'postgresql'] as const)('every entity has its migration on %s', async (dialect) => {
  const orm =
    dialect === 'sqlite'
      ? new SqliteOrm({ ...ormOptions(dialect, true), dbName: ':memory:' })
      : new PostgresOrm({ ...ormOptions(dialect, true), dbName: 'unused' })
  expect(await orm.migrator.checkSchema(), 'run "node scripts/make-migration.ts"').toBe(false)
  await orm.close(true)
})

eachDatabase('a migrated database', (open) => {
  test('has the tables that the entities describe', async () => {
    const database = await open()
    const em = database.fork()
    const generator = em.getPlatform().getSchemaGenerator(em.getDriver(), em)
    const options = { wrap: false, dropTables: false }
    expect(await (generator as { getUpdateSchemaSQL(o: object): Promise<string> }).getUpdateSchemaSQL(options)).toBe('')
  })

  test('computes the sums of trades from before sums were stored', async () => {
    const database = await open()
    const userId = await addAccount(database)
    const ledger = openLedger(database, postBooking)
    const trade = { tokenIn: '0x01', tokenOut: '0x02', amountIn: 1n, amountOut: 1n, transactionHash: '0xaa' } as const
    const place = { userId, walletAddress: '0x01', chainId: 1, agent: "o'neill", at, movements: [] } as const
    for (const reference of ['a', 'b']) {
      await ledger.book({ ...place, reference, trade: { ...trade, valueUsd: 10n ** 30n } })
    }
    const { tables } = database
    await tables.run('delete from volume')
    expect(await ledger.volume({ userId })).toEqual([])
    const fills = await tables.query<Fill>('select user_id, agent, at, value_usd from fill')
    for (const statement of volumeOfFills(fills)) await tables.run(statement)
    for (const end of [undefined, new Date(at.getTime() + 86_400_000)]) {
      const filter = { userId, start: new Date(at.getTime() - 3_600_000), ...(end === undefined ? {} : { end }) }
      expect(await ledger.volume(filter)).toMatchObject([{ agent: "o'neill", valueUsd: 2n * 10n ** 30n }])
    }
  })

  test('computes the profits of trades from before profits were stored, and what else was realised as gas', async () => {
    const database = await open()
    const userId = await addAccount(database)
    const ledger = openLedger(database, postBooking)
    const trade = { tokenIn: '0x01', tokenOut: '0x02', amountIn: 4n, amountOut: 1n, transactionHash: '0xaa' } as const
    const place = { userId, walletAddress: '0x01', chainId: 1, agent: "o'neill", at } as const
    const deposit = (token: '0x00' | '0x01') => ({ kind: 'deposit', token, quantity: 100n, valueUsd: 200n }) as const
    await ledger.book({ ...place, reference: 'in', movements: [deposit('0x00'), deposit('0x01')], trade: null })
    const paid = { kind: 'paid', token: '0x01', quantity: 4n, valueUsd: 30n } as const
    const gas = { kind: 'gas', token: '0x00', quantity: 3n, valueUsd: 9n } as const
    await ledger.book({ ...place, reference: 'a', movements: [gas, paid], trade: { ...trade, valueUsd: 30n } })
    const { tables } = database
    for (const table of ['profit', 'volume']) await tables.run(`delete from ${table}`)
    const fills = await tables.query<FillProfit>('select user_id, agent, at, realized_pnl_usd as realized from fill')
    const positions = await tables.query<PositionProfit>(
      'select user_id, agent, updated_at as at, realized_pnl_usd as realized, wallet_address, chain_id from position',
    )
    for (const statement of profitOfFills(fills, positions)) await tables.run(statement)
    expect((await ledger.volume({ userId })).map(({ realizedUsd }) => realizedUsd)).toEqual([22n - 6n])
    expect(await ledger.closed({ userId, after: null }, 9)).toMatchObject([
      { reference: `earlier:${userId}`, profitUsd: -6n, gasUsd: 6n, trade: null },
      { reference: 'a', profitUsd: 22n, gasUsd: 0n, openedAt: null, trade: { amountIn: 4n } },
    ])

    // Its block leaves the chain after the upgrade: its gas is then that of its own entry, or of none.
    const profits = async () => ({
      closed: (await ledger.closed({ userId, after: null }, 9))!.reduce((sum, { profitUsd }) => sum + profitUsd, 0n),
      sums: (await ledger.volume({ userId })).reduce((sum, { realizedUsd }) => sum + realizedUsd, 0n),
      positions: (await ledger.positions({ userId })).reduce((sum, { realizedPnlUsd }) => sum + realizedPnlUsd, 0n),
    })
    expect(await profits()).toEqual({ closed: 16n, sums: 16n, positions: 16n })
    await ledger.unbook('a')
    expect(await profits()).toEqual({ closed: 0n, sums: 0n, positions: 0n })
    await ledger.book({ ...place, reference: 'a', movements: [gas, paid], trade: { ...trade, valueUsd: 30n } })
    expect(await profits()).toEqual({ closed: 16n, sums: 16n, positions: 16n })
  })

  test('computes the gas of wallets from before its sums were stored, and takes out what is unbooked', async () => {
    const database = await open()
    const userId = await addAccount(database)
    const ledger = openLedger(database, postBooking)
    const place = { userId, chainId: 1, agent: "o'neill", at, trade: null }
    const gas = (quantity: bigint) => [{ kind: 'gas', token: nativeToken, quantity, valueUsd: quantity * 3n }] as const
    await ledger.book({ ...place, walletAddress: '0xAb', reference: 'gap:1', movements: gas(5n) })
    await ledger.book({ ...place, walletAddress: '0xAb', reference: 'gap:2', movements: gas(2n) })
    await ledger.book({ ...place, walletAddress: '0xCd', reference: 'gap:3', movements: gas(1n) })
    const read = async () => (await ledger.gas(userId)).map(({ walletAddress, gasUsd }) => [walletAddress, gasUsd])
    const all = [
      ['0xab', 21n],
      ['0xcd', 3n],
    ]
    expect((await read()).toSorted()).toEqual(all)
    const { tables } = database
    await tables.run('delete from gas')
    const profits = await tables.query<ProfitGas>(
      'select user_id, chain_id, wallet_address as wallet, agent, gas_usd from profit',
    )
    for (const statement of gasOfProfits(profits)) await tables.run(statement)
    expect((await read()).toSorted()).toEqual(all)
    await ledger.unbook('gap:1')
    expect((await read()).toSorted()).toEqual([
      ['0xab', 6n],
      ['0xcd', 3n],
    ])
  })

  test('computes the hashes of faucet payments from before hashes were stored', async () => {
    const database = await open()
    const claims = openFaucetClaims(database)
    const outbox = openOutbox(database)
    const limits = { amount: 1n, cooldownMs: 1, tiers: {}, perCaller: null, dailyCap: 10n }
    for (const [index, id] of ['ended', 'open'].entries()) {
      const to = `0x0${index}` as const
      await claims.begin({ id, chainId: 1, address: to, amount: 1n, cooldownMs: 1, createdAt: at }, 'me', limits)
      const legs = [{ kind: 'faucet', call: { to, data: '0x', value: 1n }, gas: 1n }] as const
      const [leg] = (await outbox.reserve({
        chainId: 1,
        from: '0x99',
        reference: { kind: 'faucet', id },
        legs,
        floor: 0,
      })) as Outgoing[]
      await database.tables.update(OutgoingEntity, { id: leg!.id }, { hash: `0x${id}`, settled: id === 'ended' })
    }
    const migration: Migration = Reflect.construct(
      database.dialect === 'sqlite' ? Migration20261121165104_claim_hash : Migration20261121165105_claim_hash,
      [],
    )
    await migration.up()
    const backfill = migration.getQueries().find((query) => `${query}`.startsWith('update'))
    await database.tables.run(`${backfill}`)
    expect(await claims.findByHash('0xended')).toMatchObject({ id: 'ended' })
    expect(await claims.find('open')).toMatchObject({ hash: null })
  })
})
