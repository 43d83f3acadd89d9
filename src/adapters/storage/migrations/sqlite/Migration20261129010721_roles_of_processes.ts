import { Migration } from '@mikro-orm/migrations'

export class Migration20261129010721_roles_of_processes extends Migration {
  override name = 'Migration20261129010721_roles_of_processes'

  override up(): void | Promise<void> {
    this.addSql(`alter table \`worker\` add column \`roles\` text null;`)
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`worker\` drop column \`roles\`;`)
  }
}
