import { Migration } from '@mikro-orm/migrations'

export class Migration20261128210023_final_blocks extends Migration {
  override name = 'Migration20261128210023_final_blocks'

  override up(): void | Promise<void> {
    this.addSql(
      `create table "final_block" ("chain_id" bigint not null, "number" bigint not null, "hash" text not null, primary key ("chain_id"));`,
    )

    this.addSql(`alter table "trading_halt" add "reason" text null;`)
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "final_block" cascade;`)

    this.addSql(`alter table "trading_halt" drop column "reason";`)
  }
}
