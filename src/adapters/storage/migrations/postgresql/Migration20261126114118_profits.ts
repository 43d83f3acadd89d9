import { Migration } from '@mikro-orm/migrations'
import { type FillProfit, type PositionProfit, profitOfFills } from '../profit-of-fills.ts'

export class Migration20261126114118_profits extends Migration {
  override name = 'Migration20261126114118_profits'

  override async up(): Promise<void> {
    this.addSql(
      `create table "profit" ("reference" text not null, "user_id" int not null, "agent" text not null, "wallet_address" text not null, "chain_id" bigint not null, "profit_usd" text not null, "gas_usd" text not null, "opened_at" timestamptz(3) null, "at" timestamptz(3) not null, primary key ("reference"));`,
    )
    this.addSql(`create index "profit_user_id_at_index" on "profit" ("user_id", "at");`)

    this.addSql(
      `create table "snapshot" ("user_id" int not null, "size" text not null, "slot" int not null, "unrealized_usd" text not null, primary key ("user_id", "size", "slot"));`,
    )
    this.addSql(`create index "snapshot_size_slot_index" on "snapshot" ("size", "slot");`)

    this.addSql(`alter table "position" add "opened_at" timestamptz(3) null;`)

    this.addSql(`alter table "volume" add "realized_usd" text not null default '0';`)

    const fills = await this.execute('select user_id, agent, at, realized_pnl_usd as realized from fill')
    const positions = await this.execute(
      'select user_id, agent, updated_at as at, realized_pnl_usd as realized, wallet_address, chain_id from position',
    )
    for (const statement of profitOfFills(fills as FillProfit[], positions as PositionProfit[])) this.addSql(statement)
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "profit" cascade;`)
    this.addSql(`drop table if exists "snapshot" cascade;`)

    this.addSql(`alter table "position" drop column "opened_at";`)

    this.addSql(`alter table "volume" drop column "realized_usd";`)
  }
}
