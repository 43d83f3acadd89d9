import { Migration } from '@mikro-orm/migrations'

export class Migration20261129002023_guess_counts extends Migration {
  override name = 'Migration20261129002023_guess_counts'

  override up(): void | Promise<void> {
    this.addSql(
      `create table \`guess_count\` (\`id\` text not null primary key, \`counts\` text not null, \`expires_at\` datetime not null);`,
    )
    this.addSql(`create index \`guess_count_expires_at_index\` on \`guess_count\` (\`expires_at\`);`)
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`guess_count\`;`)
  }
}
