import { Migration } from '@mikro-orm/migrations'

export class Migration20261128234208_pins extends Migration {
  override name = 'Migration20261128234208_pins'

  override up(): void | Promise<void> {
    this.addSql(
      `create table \`pin\` (\`name\` text not null primary key, \`value\` text not null, \`about\` text not null);`,
    )

    this.addSql(`alter table \`worker\` add column \`master_keys\` text null;`)
    this.addSql(`alter table \`worker\` add column \`operator_token\` text null;`)
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`pin\`;`)

    this.addSql(`alter table \`worker\` drop column \`master_keys\`;`)
    this.addSql(`alter table \`worker\` drop column \`operator_token\`;`)
  }
}
