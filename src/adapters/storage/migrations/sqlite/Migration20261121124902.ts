import { Migration } from '@mikro-orm/migrations'

export class Migration20261121124902 extends Migration {
  override name = 'Migration20261121124902'

  override up(): void | Promise<void> {
    this.addSql(
      `create table \`market_subscription\` (\`id\` text not null primary key, \`user_id\` integer not null, \`symbol\` text not null, \`streams\` text not null, \`candle_interval\` text not null, \`created_at\` datetime not null, constraint \`market_subscription_user_id_foreign\` foreign key (\`user_id\`) references \`account\` (\`id\`) on delete cascade);`,
    )
    this.addSql(`create index \`market_subscription_user_id_index\` on \`market_subscription\` (\`user_id\`);`)
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`market_subscription\`;`)
  }
}
