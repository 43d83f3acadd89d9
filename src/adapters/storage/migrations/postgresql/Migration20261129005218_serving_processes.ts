import { Migration } from '@mikro-orm/migrations'

export class Migration20261129005218_serving_processes extends Migration {
  override name = 'Migration20261129005218_serving_processes'

  override up(): void | Promise<void> {
    this.addSql(`alter table "worker" add "serves" boolean null;`)
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "worker" drop column "serves";`)
  }
}
