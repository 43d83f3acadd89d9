import { Migration } from '@mikro-orm/migrations'

export class Migration20261128210023_final_blocks extends Migration {
  override name = 'Migration20261128210023_final_blocks'

  override up(): void | Promise<void> {
    this.addSql(
      `create table \`final_block\` (\`chain_id\` bigint not null primary key, \`number\` bigint not null, \`hash\` text not null);`,
    )

    this.addSql(`alter table \`trading_halt\` add column \`reason\` text null;`)
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`final_block\`;`)

    this.addSql(`alter table \`trading_halt\` drop column \`reason\`;`)
  }
}
