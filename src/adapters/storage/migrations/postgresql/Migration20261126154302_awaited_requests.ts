import { Migration } from '@mikro-orm/migrations'

export class Migration20261126154302_awaited_requests extends Migration {
  override name = 'Migration20261126154302_awaited_requests'

  override up(): void | Promise<void> {
    this.addSql(`alter table "execution" add "awaited_request" text null;`)
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "execution" drop column "awaited_request";`)
  }
}
