import { Migration } from '@mikro-orm/migrations'

export class Migration20261126151742_session_grants extends Migration {
  override name = 'Migration20261126151742_session_grants'

  override up(): void | Promise<void> {
    this.addSql(`alter table \`execution\` add column \`session_id\` text null;`)

    this.addSql(`alter table \`session\` add column \`grant_facts\` text null;`)
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`execution\` drop column \`session_id\`;`)

    this.addSql(`alter table \`session\` drop column \`grant_facts\`;`)
  }
}
