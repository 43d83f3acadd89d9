import { Migration } from '@mikro-orm/migrations'

export class Migration20261126105230_account_feed extends Migration {
  override name = 'Migration20261126105230_account_feed'

  override up(): void | Promise<void> {
    this.addSql(
      `create table \`account_event\` (\`user_id\` integer not null, \`number\` integer not null, \`at\` datetime not null, \`halts\` integer not null, \`execution_id\` text null, \`step\` integer null, \`position\` text null, primary key (\`user_id\`, \`number\`));`,
    )
    this.addSql(`create index \`account_event_at_index\` on \`account_event\` (\`at\`);`)

    this.addSql(`create table \`account_feed\` (\`user_id\` integer not null primary key, \`last\` integer not null);`)

    this.addSql(
      `create table \`halt_event\` (\`number\` integer not null primary key, \`scope\` text not null, \`target\` text not null, \`halted\` integer not null, \`at\` datetime not null);`,
    )

    // The halts in force become the first events.
    this.addSql(
      `insert into halt_event (number, scope, target, halted, at) select row_number() over (order by created_at, target), scope, target, 1, created_at from trading_halt;`,
    )
    this.addSql(`insert into account_feed (user_id, last) select 0, count(*) from halt_event;`)
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`account_event\`;`)
    this.addSql(`drop table if exists \`account_feed\`;`)
    this.addSql(`drop table if exists \`halt_event\`;`)
  }
}
