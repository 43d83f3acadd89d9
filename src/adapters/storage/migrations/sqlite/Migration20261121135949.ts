import { Migration } from '@mikro-orm/migrations'

export class Migration20261121135949 extends Migration {
  override name = 'Migration20261121135949'

  override up(): void | Promise<void> {
    this.addSql(`alter table \`wallet\` add column \`funding_tries\` integer not null default 0;`)
    this.addSql(`alter table \`wallet\` add column \`funding_error\` text null;`)
    this.addSql(`alter table \`wallet\` add column \`funding_retry_at\` datetime null;`)
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`wallet\` drop column \`funding_tries\`;`)
    this.addSql(`alter table \`wallet\` drop column \`funding_error\`;`)
    this.addSql(`alter table \`wallet\` drop column \`funding_retry_at\`;`)
  }
}
