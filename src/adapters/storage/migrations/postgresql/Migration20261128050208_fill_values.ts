import { Migration } from '@mikro-orm/migrations'

export class Migration20261128050208_fill_values extends Migration {
  override name = 'Migration20261128050208_fill_values'

  override up(): void | Promise<void> {
    this.addSql(
      `alter table "fill" add "valued_by" text null, add "basis_quantity" text null, add "basis_cost_usd" text null;`,
    )
  }

  override down(): void | Promise<void> {
    this.addSql(
      `alter table "fill" drop column "valued_by", drop column "basis_quantity", drop column "basis_cost_usd";`,
    )
  }
}
