import { Migration } from '@mikro-orm/migrations'

export class Migration20261126114624_queue_times extends Migration {
  override name = 'Migration20261126114624_queue_times'

  override up(): void | Promise<void> {
    this.addSql(`alter table \`outgoing\` add column \`created_at\` datetime null;`)
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`outgoing\` drop column \`created_at\`;`)
  }
}
