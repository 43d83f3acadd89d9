import { Migration } from '@mikro-orm/migrations'

export class Migration20261121135949 extends Migration {
  override name = 'Migration20261121135949'

  override up(): void | Promise<void> {
    this.addSql(
      `alter table "wallet" add "funding_tries" int not null default 0, add "funding_error" text null, add "funding_retry_at" timestamptz(3) null;`,
    )
  }

  override down(): void | Promise<void> {
    this.addSql(
      `alter table "wallet" drop column "funding_tries", drop column "funding_error", drop column "funding_retry_at";`,
    )
  }
}
