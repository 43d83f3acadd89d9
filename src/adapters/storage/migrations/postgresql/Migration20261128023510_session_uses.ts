import { Migration } from '@mikro-orm/migrations'

export class Migration20261128023510_session_uses extends Migration {
  override name = 'Migration20261128023510_session_uses'

  override up(): void | Promise<void> {
    this.addSql(
      `alter table "session" add "expires_at" timestamptz(3) null, add "last_used_at" timestamptz(3) null, add "last_used_protocol" text null, add "last_used_address" text null;`,
    )
  }

  override down(): void | Promise<void> {
    this.addSql(
      `alter table "session" drop column "expires_at", drop column "last_used_at", drop column "last_used_protocol", drop column "last_used_address";`,
    )
  }
}
