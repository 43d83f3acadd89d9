import { Migration } from '@mikro-orm/migrations'

export class Migration20261121171021_quote_offers extends Migration {
  override name = 'Migration20261121171021_quote_offers'

  override up(): void | Promise<void> {
    this.addSql(
      `create table \`quote_offer\` (\`id\` integer not null primary key autoincrement, \`session_id\` text not null, \`quote_id\` text not null, \`wallet_ref\` text null, \`offered_at\` datetime not null, constraint \`quote_offer_session_id_foreign\` foreign key (\`session_id\`) references \`session\` (\`id\`) on delete cascade, constraint \`quote_offer_quote_id_foreign\` foreign key (\`quote_id\`) references \`quote\` (\`id\`) on delete cascade);`,
    )
    this.addSql(`create unique index \`quote_offer_quote_id_unique\` on \`quote_offer\` (\`quote_id\`);`)
    this.addSql(`create index \`quote_offer_session_id_id_index\` on \`quote_offer\` (\`session_id\`, \`id\`);`)
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`quote_offer\`;`)
  }
}
