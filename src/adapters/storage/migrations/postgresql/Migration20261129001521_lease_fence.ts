import { Migration } from '@mikro-orm/migrations'

export class Migration20261129001521_lease_fence extends Migration {
  override name = 'Migration20261129001521_lease_fence'

  override up(): void | Promise<void> {
    this.addSql(`alter table "lane" add "fence" bigint not null default '0';`)
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "lane" drop column "fence";`)
  }
}
