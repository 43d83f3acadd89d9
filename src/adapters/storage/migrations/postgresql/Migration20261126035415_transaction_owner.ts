import { Migration } from '@mikro-orm/migrations'
import { ownTransactions } from '../transaction-owner.ts'

export class Migration20261126035415_transaction_owner extends Migration {
  override name = 'Migration20261126035415_transaction_owner'

  override up(): void | Promise<void> {
    this.addSql(`alter table "outgoing" add "user_id" int not null default 0;`)
    this.addSql(ownTransactions)
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "outgoing" drop column "user_id";`)
  }
}
