import { Migration } from '@mikro-orm/migrations'

export class Migration20261125211844_deleted_accounts extends Migration {
  override name = 'Migration20261125211844_deleted_accounts'

  override up(): void | Promise<void> {
    this.addSql(`alter table \`account\` add column \`deleted_at\` datetime null;`)
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`account\` drop column \`deleted_at\`;`)
  }
}
