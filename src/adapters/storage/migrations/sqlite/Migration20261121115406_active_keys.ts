import { Migration } from '@mikro-orm/migrations'

export class Migration20261121115406_active_keys extends Migration {
  override name = 'Migration20261121115406_active_keys'

  override up(): void | Promise<void> {
    this.addSql(`drop index \`execution_user_id_idempotency_key_unique\`;`)
    this.addSql(`alter table \`execution\` add column \`active_key\` text null;`)
    this.addSql(`update execution set active_key = idempotency_key;`)
    this.addSql(
      `create unique index \`execution_user_id_active_key_unique\` on \`execution\` (\`user_id\`, \`active_key\`);`,
    )
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index \`execution_user_id_active_key_unique\`;`)
    this.addSql(`alter table \`execution\` drop column \`active_key\`;`)
    this.addSql(
      `create unique index \`execution_user_id_idempotency_key_unique\` on \`execution\` (\`user_id\`, \`idempotency_key\`);`,
    )
  }
}
