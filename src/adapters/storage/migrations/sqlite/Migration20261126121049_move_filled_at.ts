import { Migration } from '@mikro-orm/migrations'

export class Migration20261126121049_move_filled_at extends Migration {
  override name = 'Migration20261126121049_move_filled_at'

  override up(): void | Promise<void> {
    this.addSql(`alter table \`execution_move\` add column \`filled_at\` datetime null;`)

    this.addSql(`create index \`profit_user_id_agent_at_index\` on \`profit\` (\`user_id\`, \`agent\`, \`at\`);`)
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`execution_move\` drop column \`filled_at\`;`)

    this.addSql(`drop index \`profit_user_id_agent_at_index\`;`)
  }
}
