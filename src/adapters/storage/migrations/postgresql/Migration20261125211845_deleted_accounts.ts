import { Migration } from '@mikro-orm/migrations'

export class Migration20261125211845_deleted_accounts extends Migration {
  override name = 'Migration20261125211845_deleted_accounts'

  override up(): void | Promise<void> {
    this.addSql(`alter table "account" add "deleted_at" timestamptz(3) null;`)
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "account" drop column "deleted_at";`)
  }
}
