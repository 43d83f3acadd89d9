import { Migration } from '@mikro-orm/migrations'

export class Migration20261121170306 extends Migration {
  override name = 'Migration20261121170306'

  override up(): void | Promise<void> {
    this.addSql(
      `alter table "session" add "message_count" int not null default 0, add "message_characters" int not null default 0;`,
    )

    // Histories from before the counts were kept are counted once.
    this.addSql(
      `update session set message_count = (select count(*) from message where session_id = session.id),
         message_characters = (select coalesce(sum(length(content)), 0) from message where session_id = session.id);`,
    )

    this.addSql(`alter table "message" add "incomplete" text null;`)

    this.addSql(
      `alter table "chat_stream" add "position" int not null default 0, add "holder" text not null default '';`,
    )
    this.addSql(`create index "chat_stream_session_id_state_index" on "chat_stream" ("session_id", "state");`)

    this.addSql(`alter table "chat_chunk" add "facts" text null;`)
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "chat_chunk" drop column "facts";`)

    this.addSql(`drop index "chat_stream_session_id_state_index";`)
    this.addSql(`alter table "chat_stream" drop column "position", drop column "holder";`)

    this.addSql(`alter table "message" drop column "incomplete";`)

    this.addSql(`alter table "session" drop column "message_count", drop column "message_characters";`)
  }
}
