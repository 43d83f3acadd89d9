import { Migration } from '@mikro-orm/migrations'

export class Migration20261126045108_transaction_owner extends Migration {
  override name = 'Migration20261126045108_transaction_owner'

  override up(): void | Promise<void> {
    this.addSql(`alter table "outgoing" add "user_id" int null;`)
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "outgoing" drop column "user_id";`)
  }
}
