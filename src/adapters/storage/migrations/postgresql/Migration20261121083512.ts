import { Migration } from '@mikro-orm/migrations'

export class Migration20261121083512 extends Migration {
  override name = 'Migration20261121083512'

  override up(): void | Promise<void> {
    this.addSql(
      `create table "node_filter" ("id" text not null, "kind" text not null, "criteria" text not null, "told" text not null, "read_at" timestamptz(3) not null, "reads" int not null, primary key ("id"));`,
    )
    this.addSql(`create index "node_filter_read_at_index" on "node_filter" ("read_at");`)

    this.addSql(
      `alter table "node_filter" add constraint "node_filter_kind_check" check ("kind" in ('logs', 'blocks', 'pending'));`,
    )
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "node_filter" cascade;`)
  }
}
