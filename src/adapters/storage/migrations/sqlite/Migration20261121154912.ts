import { Migration } from '@mikro-orm/migrations'

export class Migration20261121154912 extends Migration {
  override name = 'Migration20261121154912'

  override up(): void | Promise<void> {
    this.addSql(`alter table \`faucet_claim\` add column \`cooldown_ms\` bigint not null default '86400000';`)
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`faucet_claim\` drop column \`cooldown_ms\`;`)
  }
}
