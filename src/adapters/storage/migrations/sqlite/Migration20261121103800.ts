import { Migration } from '@mikro-orm/migrations'

export class Migration20261121103800 extends Migration {
  override name = 'Migration20261121103800'

  override up(): void | Promise<void> {
    this.addSql(`alter table \`quote\` add column \`asked\` text not null default '';`)
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`quote\` drop column \`asked\`;`)
  }
}
