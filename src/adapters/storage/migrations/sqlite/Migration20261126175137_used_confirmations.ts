import { Migration } from '@mikro-orm/migrations'

export class Migration20261126175137_used_confirmations extends Migration {
  override name = 'Migration20261126175137_used_confirmations'

  override up(): void | Promise<void> {
    this.addSql(
      `create table \`used_confirmation\` (\`id\` integer not null primary key autoincrement, \`user_id\` integer not null, \`confirmation_id\` text not null, \`used_at\` datetime not null, constraint \`used_confirmation_user_id_foreign\` foreign key (\`user_id\`) references \`account\` (\`id\`) on delete cascade);`,
    )
    this.addSql(`create index \`used_confirmation_used_at_index\` on \`used_confirmation\` (\`used_at\`);`)
    this.addSql(
      `create unique index \`used_confirmation_user_id_confirmation_id_unique\` on \`used_confirmation\` (\`user_id\`, \`confirmation_id\`);`,
    )
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`used_confirmation\`;`)
  }
}
