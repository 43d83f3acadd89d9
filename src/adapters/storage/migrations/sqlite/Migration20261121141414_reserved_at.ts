import { Migration } from '@mikro-orm/migrations'

export class Migration20261121141414_reserved_at extends Migration {
  override name = 'Migration20261121141414_reserved_at'

  override up(): void | Promise<void> {
    this.addSql(`alter table \`execution\` add column \`reserved_at\` datetime null;`)
    this.addSql(`update execution set reserved_at = created_at where state not in ('requested', 'simulated');`)
    this.addSql(`create index \`execution_user_id_reserved_at_index\` on \`execution\` (\`user_id\`, \`reserved_at\`);`)
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index \`execution_user_id_reserved_at_index\`;`)
    this.addSql(`alter table \`execution\` drop column \`reserved_at\`;`)
  }
}
