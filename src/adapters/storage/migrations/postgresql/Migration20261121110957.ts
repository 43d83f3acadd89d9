import { Migration } from '@mikro-orm/migrations'

export class Migration20261121110957 extends Migration {
  override name = 'Migration20261121110957'

  override up(): void | Promise<void> {
    this.addSql(
      `create table "audit" ("user_id" int not null, "seq" int not null, "at" text not null, "kind" text not null, "subject" text not null, "facts" text not null, "hash" text not null, primary key ("user_id", "seq"));`,
    )

    this.addSql(`create table "audit_head" ("user_id" serial primary key, "seq" int not null, "hash" text not null);`)
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "audit" cascade;`)
    this.addSql(`drop table if exists "audit_head" cascade;`)
  }
}
