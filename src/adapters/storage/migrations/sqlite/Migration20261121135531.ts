import { Migration } from '@mikro-orm/migrations'

export class Migration20261121135531 extends Migration {
  override name = 'Migration20261121135531'

  override up(): void | Promise<void> {
    this.addSql(`alter table \`quote\` add column \`transfer_tax_bps\` integer null;`)
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`quote\` drop column \`transfer_tax_bps\`;`)
  }
}
