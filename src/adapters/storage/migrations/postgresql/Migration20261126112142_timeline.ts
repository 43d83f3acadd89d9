import { Migration } from '@mikro-orm/migrations'

export class Migration20261126112142_timeline extends Migration {
  override name = 'Migration20261126112142_timeline'

  override up(): void | Promise<void> {
    this.addSql(`create index "audit_subject_index" on "audit" ("subject");`)

    this.addSql(`alter table "execution" add "filled_at" timestamptz(3) null;`)
    this.addSql(`create index "execution_transaction_hash_index" on "execution" ("transaction_hash");`)
    this.addSql(
      `update execution set filled_at = (select at from fill where fill.execution_id = execution.id) where amount_out is not null;`,
    )
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "audit_subject_index";`)

    this.addSql(`drop index "execution_transaction_hash_index";`)
    this.addSql(`alter table "execution" drop column "filled_at";`)
  }
}
