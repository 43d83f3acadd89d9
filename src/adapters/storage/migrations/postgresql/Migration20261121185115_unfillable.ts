import { Migration } from '@mikro-orm/migrations'

export class Migration20261121185115_unfillable extends Migration {
  override name = 'Migration20261121185115_unfillable'

  override up(): void | Promise<void> {
    this.addSql(`alter table "outgoing" add "unfillable" text null;`)
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "outgoing" drop column "unfillable";`)
  }
}
