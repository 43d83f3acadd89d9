import { Migration } from '@mikro-orm/migrations'

export class Migration20261121142021_book_revision extends Migration {
  override name = 'Migration20261121142021_book_revision'

  override up(): void | Promise<void> {
    this.addSql(`create table \`book_revision\` (\`place\` text not null primary key, \`revision\` integer not null);`)
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`book_revision\`;`)
  }
}
