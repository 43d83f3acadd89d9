import { Migration } from '@mikro-orm/migrations'

export class Migration20261121115407_active_keys extends Migration {
  override name = 'Migration20261121115407_active_keys'

  override up(): void | Promise<void> {
    this.addSql(`alter table "execution" drop constraint "execution_user_id_idempotency_key_unique";`)
    this.addSql(`alter table "execution" add "active_key" text null;`)
    this.addSql(`update execution set active_key = idempotency_key;`)
    this.addSql(
      `alter table "execution" add constraint "execution_user_id_active_key_unique" unique ("user_id", "active_key");`,
    )
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "execution" drop constraint "execution_user_id_active_key_unique";`)
    this.addSql(`alter table "execution" drop column "active_key";`)
    this.addSql(
      `alter table "execution" add constraint "execution_user_id_idempotency_key_unique" unique ("user_id", "idempotency_key");`,
    )
  }
}
