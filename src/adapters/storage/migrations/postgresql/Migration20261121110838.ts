import { Migration } from '@mikro-orm/migrations'

export class Migration20261121110838 extends Migration {
  override name = 'Migration20261121110838'

  override up(): void | Promise<void> {
    this.addSql(`alter table "node_filter" add "owner" text not null default '';`)
    this.addSql(`create index "node_filter_owner_index" on "node_filter" ("owner");`)
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "node_filter_owner_index";`)
    this.addSql(`alter table "node_filter" drop column "owner";`)
  }
}
