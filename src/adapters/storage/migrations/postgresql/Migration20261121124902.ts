import { Migration } from '@mikro-orm/migrations'

export class Migration20261121124902 extends Migration {
  override name = 'Migration20261121124902'

  override up(): void | Promise<void> {
    this.addSql(
      `create table "market_subscription" ("id" text not null, "user_id" int not null, "symbol" text not null, "streams" text not null, "candle_interval" text not null, "created_at" timestamptz(3) not null, primary key ("id"));`,
    )

    this.addSql(
      `alter table "market_subscription" add constraint "market_subscription_user_id_foreign" foreign key ("user_id") references "account" ("id") on delete cascade;`,
    )
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "market_subscription" cascade;`)
  }
}
