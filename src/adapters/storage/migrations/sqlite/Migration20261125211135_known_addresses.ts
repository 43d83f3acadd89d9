import { Migration } from '@mikro-orm/migrations'

export class Migration20261125211135_known_addresses extends Migration {
  override name = 'Migration20261125211135_known_addresses'

  override up(): void | Promise<void> {
    this.addSql(
      `create table \`known_address\` (\`user_id\` integer not null, \`address\` text not null, \`seen_at\` datetime not null, primary key (\`user_id\`, \`address\`), constraint \`known_address_user_id_foreign\` foreign key (\`user_id\`) references \`account\` (\`id\`) on delete cascade);`,
    )
    this.addSql(`create index \`known_address_user_id_index\` on \`known_address\` (\`user_id\`);`)
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`known_address\`;`)
  }
}
