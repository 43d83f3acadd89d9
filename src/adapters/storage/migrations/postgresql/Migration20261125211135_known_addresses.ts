import { Migration } from '@mikro-orm/migrations'

export class Migration20261125211135_known_addresses extends Migration {
  override name = 'Migration20261125211135_known_addresses'

  override up(): void | Promise<void> {
    this.addSql(
      `create table "known_address" ("user_id" int not null, "address" text not null, "seen_at" timestamptz(3) not null, primary key ("user_id", "address"));`,
    )

    this.addSql(
      `alter table "known_address" add constraint "known_address_user_id_foreign" foreign key ("user_id") references "account" ("id") on delete cascade;`,
    )
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "known_address" cascade;`)
  }
}
