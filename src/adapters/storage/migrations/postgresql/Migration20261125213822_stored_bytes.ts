import { Migration } from '@mikro-orm/migrations'
import { countStoredBytes } from '../stored-bytes.ts'

export class Migration20261125213822_stored_bytes extends Migration {
  override name = 'Migration20261125213822_stored_bytes'

  override up(): void | Promise<void> {
    this.addSql(`alter table "session" add "stored_bytes" int not null default 0;`)

    this.addSql(`alter table "chat_stream" add "stored_bytes" int not null default 0;`)

    for (const statement of countStoredBytes) this.addSql(statement)
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "chat_stream" drop column "stored_bytes";`)

    this.addSql(`alter table "session" drop column "stored_bytes";`)
  }
}
