import { Migration } from '@mikro-orm/migrations'

export class Migration20261125222518_known_address_seen extends Migration {
  override name = 'Migration20261125222518_known_address_seen'

  override up(): void | Promise<void> {
    this.addSql(`create index "known_address_seen_at_index" on "known_address" ("seen_at");`)
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "known_address_seen_at_index";`)
  }
}
