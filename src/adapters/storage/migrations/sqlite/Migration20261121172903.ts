import { Migration } from '@mikro-orm/migrations'

export class Migration20261121172903 extends Migration {
  override name = 'Migration20261121172903'

  override up(): void | Promise<void> {
    this.addSql(`alter table \`node_filter\` add column \`chain_id\` bigint not null default '0';`)
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`node_filter\` drop column \`chain_id\`;`)
  }
}
