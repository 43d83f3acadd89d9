import { Migration } from '@mikro-orm/migrations'

export class Migration20261123155209_answer_facts extends Migration {
  override name = 'Migration20261123155209_answer_facts'

  override up(): void | Promise<void> {
    this.addSql(`alter table \`message\` add column \`facts\` text null;`)
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`message\` drop column \`facts\`;`)
  }
}
