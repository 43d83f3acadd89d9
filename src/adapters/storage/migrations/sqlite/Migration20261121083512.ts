import { Migration } from '@mikro-orm/migrations'

export class Migration20261121083512 extends Migration {
  override name = 'Migration20261121083512'

  override up(): void | Promise<void> {
    this.addSql(
      `create table \`node_filter\` (\`id\` text not null primary key, \`kind\` text check (\`kind\` in ('logs', 'blocks', 'pending')) not null, \`criteria\` text not null, \`told\` text not null, \`read_at\` datetime not null, \`reads\` integer not null);`,
    )
    this.addSql(`create index \`node_filter_read_at_index\` on \`node_filter\` (\`read_at\`);`)
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`node_filter\`;`)
  }
}
