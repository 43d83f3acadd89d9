import { Migration } from '@mikro-orm/migrations'

export class Migration20261121105341 extends Migration {
  override name = 'Migration20261121105341'

  override up(): void | Promise<void> {
    this.addSql(`pragma foreign_keys = off;`)
    this.addSql(
      `create table \`wallet__temp_alter\` (\`id\` integer not null primary key autoincrement, \`user_id\` integer not null, \`ref\` text not null, \`address_key\` text not null, \`address\` text not null, \`sealed_key\` text null, \`funding\` text not null, \`created_at\` datetime not null, constraint \`wallet_user_id_foreign\` foreign key (\`user_id\`) references \`account\` (\`id\`) on delete cascade);`,
    )
    this.addSql(
      `insert into \`wallet__temp_alter\` select \`id\`, \`user_id\`, \`ref\`, \`address_key\`, \`address\`, \`sealed_key\`, \`funding\`, \`created_at\` from \`wallet\`;`,
    )
    this.addSql(`drop table \`wallet\`;`)
    this.addSql(`alter table \`wallet__temp_alter\` rename to \`wallet\`;`)
    this.addSql(`create index \`wallet_user_id_index\` on \`wallet\` (\`user_id\`);`)
    this.addSql(`create unique index \`wallet_address_key_unique\` on \`wallet\` (\`address_key\`);`)
    this.addSql(`create index \`wallet_funding_index\` on \`wallet\` (\`funding\`);`)
    this.addSql(`create unique index \`wallet_user_id_ref_unique\` on \`wallet\` (\`user_id\`, \`ref\`);`)
    this.addSql(`pragma foreign_keys = on;`)
  }

  override down(): void | Promise<void> {
    this.addSql(`pragma foreign_keys = off;`)
    this.addSql(
      `create table \`wallet__temp_alter\` (\`address\` text not null, \`address_key\` text not null, \`created_at\` datetime not null, \`funding\` text not null, \`id\` integer not null primary key autoincrement, \`ref\` text not null, \`sealed_key\` text not null, \`user_id\` integer not null, constraint \`wallet_user_id_foreign\` foreign key (\`user_id\`) references \`account\` (\`id\`) on delete cascade);`,
    )
    this.addSql(
      `insert into \`wallet__temp_alter\` select \`address\`, \`address_key\`, \`created_at\`, \`funding\`, \`id\`, \`ref\`, \`sealed_key\`, \`user_id\` from \`wallet\`;`,
    )
    this.addSql(`drop table \`wallet\`;`)
    this.addSql(`alter table \`wallet__temp_alter\` rename to \`wallet\`;`)
    this.addSql(`create unique index \`wallet_address_key_unique\` on \`wallet\` (\`address_key\`);`)
    this.addSql(`create index \`wallet_funding_index\` on \`wallet\` (\`funding\`);`)
    this.addSql(`create index \`wallet_user_id_index\` on \`wallet\` (\`user_id\`);`)
    this.addSql(`create unique index \`wallet_user_id_ref_unique\` on \`wallet\` (\`user_id\`, \`ref\`);`)
    this.addSql(`pragma foreign_keys = on;`)
  }
}
