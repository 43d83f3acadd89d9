import { Migration } from '@mikro-orm/migrations'

export class Migration20261128050207_fill_values extends Migration {
  override name = 'Migration20261128050207_fill_values'

  override up(): void | Promise<void> {
    this.addSql(`alter table \`fill\` add column \`valued_by\` text null;`)
    this.addSql(`alter table \`fill\` add column \`basis_quantity\` text null;`)
    this.addSql(`alter table \`fill\` add column \`basis_cost_usd\` text null;`)
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`fill\` drop column \`valued_by\`;`)
    this.addSql(`alter table \`fill\` drop column \`basis_quantity\`;`)
    this.addSql(`alter table \`fill\` drop column \`basis_cost_usd\`;`)
  }
}
