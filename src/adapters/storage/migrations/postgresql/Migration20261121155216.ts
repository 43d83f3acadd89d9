import { Migration } from '@mikro-orm/migrations'

export class Migration20261121155216 extends Migration {
  override name = 'Migration20261121155216'

  override up(): void | Promise<void> {
    this.addSql(`alter table "wallet" add "funding_mined" int not null default 0;`)
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "wallet" drop column "funding_mined";`)
  }
}
