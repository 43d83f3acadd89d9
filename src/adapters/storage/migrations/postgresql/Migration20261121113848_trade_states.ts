import { Migration } from '@mikro-orm/migrations'

export class Migration20261121113848_trade_states extends Migration {
  override name = 'Migration20261121113848_trade_states'

  override up(): void | Promise<void> {
    this.addSql(
      `create table "attempt" ("outgoing_id" int not null, "position" int not null, "purpose" text not null, "raw" text not null, "hash" text not null, "max_fee_per_gas" text not null, "max_priority_fee_per_gas" text not null, "offered_at" bigint null, primary key ("outgoing_id", "position"));`,
    )
    this.addSql(`alter table "attempt" add constraint "attempt_hash_unique" unique ("hash");`)

    this.addSql(
      `create table "execution_move" ("execution_id" text not null, "step" int not null, "state" text not null, "message" text not null, "transaction_hash" text null, "amount_out" text null, "gas_used" text null, "fee_wei" text null, "block_number" text null, "updated_at" timestamptz(3) not null, primary key ("execution_id", "step"));`,
    )

    this.addSql(
      `create table "lane" ("chain_id" bigint not null, "sender" text not null, "holder" text null, primary key ("chain_id", "sender"));`,
    )

    this.addSql(
      `create table "wallet_policy" ("wallet" text not null, "max_trade_usd" text null, "max_daily_usd" text null, "tokens" text null, "venues" text null, "chains" text null, primary key ("wallet"));`,
    )

    this.addSql(`create table "worker" ("id" text not null, "until" timestamptz(3) not null, primary key ("id"));`)

    this.addSql(
      `alter table "execution" add "step" int not null default 1, add "facts" text null, add "basis" text null, add "holder" text null;`,
    )

    this.addSql(`drop index "outgoing_settled_index";`)
    this.addSql(
      `alter table "outgoing" add "version" int not null default 1, add "deadline" bigint null, add "block_number" bigint null, add "block_hash" text null, add "told" boolean not null default false;`,
    )
    // What was signed before is the first attempt of each; what a block has decided keeps what came of it.
    this.addSql(
      `insert into attempt (outgoing_id, position, purpose, raw, hash, max_fee_per_gas, max_priority_fee_per_gas) select id, 0, 'leg', raw, lower(hash), '0', '0' from outgoing where raw is not null and hash is not null;`,
    )
    this.addSql(`alter table "outgoing" rename column "raw" to "outcome";`)
    this.addSql(
      `update outgoing set outcome = case state when 'included' then 'success' when 'reverted' then 'reverted' end, told = settled;`,
    )
    this.addSql(`update outgoing set state = 'included' where state = 'reverted';`)
    this.addSql(
      `create index "outgoing_chain_id_settled_told_state_index" on "outgoing" ("chain_id", "settled", "told", "state");`,
    )
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "attempt" cascade;`)
    this.addSql(`drop table if exists "execution_move" cascade;`)
    this.addSql(`drop table if exists "lane" cascade;`)
    this.addSql(`drop table if exists "wallet_policy" cascade;`)
    this.addSql(`drop table if exists "worker" cascade;`)

    this.addSql(
      `alter table "execution" drop column "step", drop column "facts", drop column "basis", drop column "holder";`,
    )

    this.addSql(`drop index "outgoing_chain_id_settled_told_state_index";`)
    this.addSql(
      `alter table "outgoing" drop column "version", drop column "deadline", drop column "block_number", drop column "block_hash", drop column "told";`,
    )
    this.addSql(`alter table "outgoing" rename column "outcome" to "raw";`)
    this.addSql(`create index "outgoing_settled_index" on "outgoing" ("settled");`)
  }
}
