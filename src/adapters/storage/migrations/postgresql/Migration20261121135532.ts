import { Migration } from '@mikro-orm/migrations'

export class Migration20261121135532 extends Migration {
  override name = 'Migration20261121135532'

  override up(): void | Promise<void> {
    this.addSql(`alter table "quote" add "transfer_tax_bps" int null;`)
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "quote" drop column "transfer_tax_bps";`)
  }
}
