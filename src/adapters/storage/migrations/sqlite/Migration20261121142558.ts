import { Migration } from '@mikro-orm/migrations'

export class Migration20261121142558 extends Migration {
  override name = 'Migration20261121142558'

  override up(): void | Promise<void> {
    this.addSql(
      `create index \`execution_active_key_created_at_index\` on \`execution\` (\`active_key\`, \`created_at\`);`,
    )

    this.addSql(`create index \`execution_move_updated_at_index\` on \`execution_move\` (\`updated_at\`);`)

    this.addSql(`alter table \`outgoing\` add column \`settled_at\` datetime null;`)
    // What was settled before this column was there is kept for its time from now on.
    this.addSql(
      `update \`outgoing\` set \`settled_at\` = cast(unixepoch('subsec') * 1000 as integer) where \`settled\`;`,
    )
    this.addSql(`create index \`outgoing_settled_at_index\` on \`outgoing\` (\`settled_at\`);`)

    this.addSql(`create index \`chat_stream_created_at_index\` on \`chat_stream\` (\`created_at\`);`)
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index \`chat_stream_created_at_index\`;`)

    this.addSql(`drop index \`execution_active_key_created_at_index\`;`)

    this.addSql(`drop index \`execution_move_updated_at_index\`;`)

    this.addSql(`drop index \`outgoing_settled_at_index\`;`)
    this.addSql(`alter table \`outgoing\` drop column \`settled_at\`;`)
  }
}
