import { Migration } from '@mikro-orm/migrations'

export class Migration20261128234208_pins extends Migration {
  override name = 'Migration20261128234208_pins'

  override up(): void | Promise<void> {
    this.addSql(
      `create table "pin" ("name" text not null, "value" text not null, "about" text not null, primary key ("name"));`,
    )

    this.addSql(`alter table "worker" add "master_keys" text null, add "operator_token" text null;`)
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "pin" cascade;`)

    this.addSql(`alter table "worker" drop column "master_keys", drop column "operator_token";`)
  }
}
