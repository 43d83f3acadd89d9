import { Migration } from '@mikro-orm/migrations'

export class Migration20261121105341 extends Migration {
  override name = 'Migration20261121105341'

  override up(): void | Promise<void> {
    this.addSql(`alter table "wallet" alter column "sealed_key" drop not null;`)
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "wallet" alter column "sealed_key" set not null;`)
  }
}
