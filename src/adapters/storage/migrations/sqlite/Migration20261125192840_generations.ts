import { Migration } from '@mikro-orm/migrations'

export class Migration20261125192840_generations extends Migration {
  override name = 'Migration20261125192840_generations'

  override up(): void | Promise<void> {
    this.addSql(`create table \`revoked_token\` (\`id\` text not null primary key, \`expires_at\` datetime not null);`)
    this.addSql(`create index \`revoked_token_expires_at_index\` on \`revoked_token\` (\`expires_at\`);`)

    this.addSql(`alter table \`account\` add column \`generation\` integer not null default 0;`)
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`revoked_token\`;`)

    this.addSql(`alter table \`account\` drop column \`generation\`;`)
  }
}
