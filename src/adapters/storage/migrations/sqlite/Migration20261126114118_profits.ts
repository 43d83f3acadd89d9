import { Migration } from '@mikro-orm/migrations'
import { type FillProfit, type PositionProfit, profitOfFills } from '../profit-of-fills.ts'

export class Migration20261126114118_profits extends Migration {
  override name = 'Migration20261126114118_profits'

  override async up(): Promise<void> {
    this.addSql(
      `create table \`profit\` (\`reference\` text not null primary key, \`user_id\` integer not null, \`agent\` text not null, \`wallet_address\` text not null, \`chain_id\` bigint not null, \`profit_usd\` text not null, \`gas_usd\` text not null, \`opened_at\` datetime null, \`at\` datetime not null);`,
    )
    this.addSql(`create index \`profit_user_id_at_index\` on \`profit\` (\`user_id\`, \`at\`);`)

    this.addSql(
      `create table \`snapshot\` (\`user_id\` integer not null, \`size\` text not null, \`slot\` integer not null, \`unrealized_usd\` text not null, primary key (\`user_id\`, \`size\`, \`slot\`));`,
    )
    this.addSql(`create index \`snapshot_size_slot_index\` on \`snapshot\` (\`size\`, \`slot\`);`)

    this.addSql(`alter table \`position\` add column \`opened_at\` datetime null;`)

    this.addSql(`alter table \`volume\` add column \`realized_usd\` text not null default '0';`)

    const fills = await this.execute('select user_id, agent, at, realized_pnl_usd as realized from fill')
    const positions = await this.execute(
      'select user_id, agent, updated_at as at, realized_pnl_usd as realized, wallet_address, chain_id from position',
    )
    for (const statement of profitOfFills(fills as FillProfit[], positions as PositionProfit[])) this.addSql(statement)
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`profit\`;`)
    this.addSql(`drop table if exists \`snapshot\`;`)

    this.addSql(`alter table \`position\` drop column \`opened_at\`;`)

    this.addSql(`alter table \`volume\` drop column \`realized_usd\`;`)
  }
}
