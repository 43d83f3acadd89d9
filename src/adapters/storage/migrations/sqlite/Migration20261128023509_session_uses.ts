import { Migration } from '@mikro-orm/migrations'

export class Migration20261128023509_session_uses extends Migration {
  override name = 'Migration20261128023509_session_uses'

  override up(): void | Promise<void> {
    this.addSql(`alter table \`session\` add column \`expires_at\` datetime null;`)
    this.addSql(`alter table \`session\` add column \`last_used_at\` datetime null;`)
    this.addSql(`alter table \`session\` add column \`last_used_protocol\` text null;`)
    this.addSql(`alter table \`session\` add column \`last_used_address\` text null;`)
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`session\` drop column \`expires_at\`;`)
    this.addSql(`alter table \`session\` drop column \`last_used_at\`;`)
    this.addSql(`alter table \`session\` drop column \`last_used_protocol\`;`)
    this.addSql(`alter table \`session\` drop column \`last_used_address\`;`)
  }
}
