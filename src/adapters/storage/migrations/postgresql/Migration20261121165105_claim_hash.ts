import { Migration } from '@mikro-orm/migrations'

export class Migration20261121165105_claim_hash extends Migration {
  override name = 'Migration20261121165105_claim_hash'

  override up(): void | Promise<void> {
    this.addSql(`alter table "faucet_claim" add "hash" text null;`)
    this.addSql(`update faucet_claim set hash = (select lower(o.hash) from outgoing o where o.settled
      and o.reference = 'faucet:' || faucet_claim.id and o.position = 0);`)
    this.addSql(`create index "faucet_claim_hash_index" on "faucet_claim" ("hash");`)
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "faucet_claim_hash_index";`)
    this.addSql(`alter table "faucet_claim" drop column "hash";`)
  }
}
