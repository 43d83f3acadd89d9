import { Migration } from '@mikro-orm/migrations'

export class Migration20261126175137_used_confirmations extends Migration {
  override name = 'Migration20261126175137_used_confirmations'

  override up(): void | Promise<void> {
    this.addSql(
      `create table "used_confirmation" ("id" serial primary key, "user_id" int not null, "confirmation_id" text not null, "used_at" timestamptz(3) not null);`,
    )
    this.addSql(`create index "used_confirmation_used_at_index" on "used_confirmation" ("used_at");`)
    this.addSql(
      `alter table "used_confirmation" add constraint "used_confirmation_user_id_confirmation_id_unique" unique ("user_id", "confirmation_id");`,
    )

    this.addSql(
      `alter table "used_confirmation" add constraint "used_confirmation_user_id_foreign" foreign key ("user_id") references "account" ("id") on delete cascade;`,
    )
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "used_confirmation" cascade;`)
  }
}
