import { Migration } from '@mikro-orm/migrations'

export class Migration20261121155215 extends Migration {
  override name = 'Migration20261121155215'

  override up(): void | Promise<void> {
    this.addSql(`alter table \`wallet\` add column \`funding_mined\` integer not null default 0;`)
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`wallet\` drop column \`funding_mined\`;`)
  }
}
