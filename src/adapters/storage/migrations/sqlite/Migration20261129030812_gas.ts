import { Migration } from '@mikro-orm/migrations'
import { gasOfProfits, type ProfitGas } from '../gas-of-profits.ts'

export class Migration20261129030812_gas extends Migration {
  override name = 'Migration20261129030812_gas'

  override async up(): Promise<void> {
    this.addSql(
      `create table \`gas\` (\`user_id\` integer not null, \`chain_id\` bigint not null, \`wallet_address\` text not null, \`agent\` text not null, \`gas_usd\` text not null, primary key (\`user_id\`, \`chain_id\`, \`wallet_address\`, \`agent\`));`,
    )

    const profits = await this.execute(
      `select user_id, chain_id, wallet_address as wallet, agent, gas_usd from profit where gas_usd <> '0'`,
    )
    for (const statement of gasOfProfits(profits as ProfitGas[])) this.addSql(statement)
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`gas\`;`)
  }
}
