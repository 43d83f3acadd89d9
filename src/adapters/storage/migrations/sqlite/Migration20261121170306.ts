import { Migration } from '@mikro-orm/migrations'

export class Migration20261121170306 extends Migration {
  override name = 'Migration20261121170306'

  override up(): void | Promise<void> {
    this.addSql(`alter table \`session\` add column \`message_count\` integer not null default 0;`)
    this.addSql(`alter table \`session\` add column \`message_characters\` integer not null default 0;`)

    // Histories from before the counts were kept are counted once.
    this.addSql(
      `update session set message_count = (select count(*) from message where session_id = session.id),
         message_characters = (select coalesce(sum(length(content)), 0) from message where session_id = session.id);`,
    )

    this.addSql(`alter table \`message\` add column \`incomplete\` text null;`)

    this.addSql(`drop index \`chat_stream_session_id_index\`;`)
    this.addSql(`alter table \`chat_stream\` add column \`position\` integer not null default 0;`)
    this.addSql(`alter table \`chat_stream\` add column \`holder\` text not null default '';`)
    this.addSql(`create index \`chat_stream_session_id_state_index\` on \`chat_stream\` (\`session_id\`, \`state\`);`)

    this.addSql(`alter table \`chat_chunk\` add column \`facts\` text null;`)
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`chat_chunk\` drop column \`facts\`;`)

    this.addSql(`drop index \`chat_stream_session_id_state_index\`;`)
    this.addSql(`alter table \`chat_stream\` drop column \`position\`;`)
    this.addSql(`alter table \`chat_stream\` drop column \`holder\`;`)
    this.addSql(`create index \`chat_stream_session_id_index\` on \`chat_stream\` (\`session_id\`);`)

    this.addSql(`alter table \`message\` drop column \`incomplete\`;`)

    this.addSql(`alter table \`session\` drop column \`message_count\`;`)
    this.addSql(`alter table \`session\` drop column \`message_characters\`;`)
  }
}
