import { Migration } from '@mikro-orm/migrations'

export class Migration20261121054933 extends Migration {
  override name = 'Migration20261121054933'

  override up(): void | Promise<void> {
    this.addSql(
      `create table "account" ("id" serial primary key, "email" text not null, "password_hash" text not null, "created_at" timestamptz(3) not null);`,
    )
    this.addSql(`alter table "account" add constraint "account_email_unique" unique ("email");`)

    this.addSql(`create table "booking" ("reference" text not null, primary key ("reference"));`)

    this.addSql(
      `create table "execution" ("id" text not null, "user_id" int not null, "idempotency_key" text not null, "fingerprint" text not null, "chain_id" bigint not null, "wallet_ref" text not null, "wallet_address" text not null, "agent" text not null, "quote_id" text null, "token_in" text not null, "token_out" text not null, "amount_in" text not null, "expected_out" text null, "minimum_out" text null, "route" text null, "value_usd" text null, "state" text not null, "message" text not null, "transaction_hash" text null, "amount_out" text null, "gas_used" text null, "fee_wei" text null, "block_number" text null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`,
    )
    this.addSql(`create index "execution_state_index" on "execution" ("state");`)
    this.addSql(`create index "execution_user_id_created_at_index" on "execution" ("user_id", "created_at");`)
    this.addSql(
      `alter table "execution" add constraint "execution_user_id_idempotency_key_unique" unique ("user_id", "idempotency_key");`,
    )

    this.addSql(`create table "faucet_address" ("address_key" text not null, primary key ("address_key"));`)

    this.addSql(
      `create table "faucet_claim" ("id" text not null, "address" text not null, "address_key" text not null, "amount" text not null, "released" boolean not null, "created_at" timestamptz(3) not null, primary key ("id"));`,
    )
    this.addSql(
      `create index "faucet_claim_address_key_created_at_index" on "faucet_claim" ("address_key", "created_at");`,
    )

    this.addSql(
      `create table "fill" ("execution_id" text not null, "user_id" int not null, "agent" text not null, "wallet_address" text not null, "chain_id" bigint not null, "token_in" text not null, "token_out" text not null, "amount_in" text not null, "amount_out" text not null, "value_usd" text not null, "realized_pnl_usd" text not null, "transaction_hash" text not null, "at" timestamptz(3) not null, primary key ("execution_id"));`,
    )
    this.addSql(`create index "fill_user_id_at_index" on "fill" ("user_id", "at");`)

    this.addSql(
      `create table "outgoing" ("id" serial primary key, "chain_id" bigint not null, "sender" text not null, "from_address" text not null, "nonce" int null, "kind" text not null, "reference" text not null, "position" int not null, "to_address" text not null, "data" text not null, "value" text not null, "gas" text not null, "raw" text null, "hash" text null, "state" text not null, "error" text null, "settled" boolean not null);`,
    )
    this.addSql(`create index "outgoing_hash_index" on "outgoing" ("hash");`)
    this.addSql(`create index "outgoing_settled_index" on "outgoing" ("settled");`)
    this.addSql(
      `alter table "outgoing" add constraint "outgoing_chain_id_sender_nonce_unique" unique ("chain_id", "sender", "nonce");`,
    )
    this.addSql(
      `alter table "outgoing" add constraint "outgoing_reference_position_unique" unique ("reference", "position");`,
    )

    this.addSql(
      `create table "position" ("id" serial primary key, "user_id" int not null, "agent" text not null, "wallet_address" text not null, "chain_id" bigint not null, "token" text not null, "quantity" text not null, "cost_usd" text not null, "realized_pnl_usd" text not null, "updated_at" timestamptz(3) not null);`,
    )
    this.addSql(
      `alter table "position" add constraint "position_user_id_agent_wallet_address_chain_id_token_unique" unique ("user_id", "agent", "wallet_address", "chain_id", "token");`,
    )

    this.addSql(
      `create table "quote" ("id" text not null, "user_id" int not null, "chain_id" bigint not null, "token_in" text not null, "token_out" text not null, "amount_in" text not null, "expected_out" text not null, "spot_out" text not null, "slippage_bps" int not null, "price_impact_bps" int not null, "gas_estimate" text not null, "route" text not null, "expires_at" timestamptz(3) not null, "created_at" timestamptz(3) not null, primary key ("id"));`,
    )
    this.addSql(`create index "quote_expires_at_index" on "quote" ("expires_at");`)

    this.addSql(
      `create table "quote_use" ("quote_id" text not null, "execution_id" text not null, primary key ("quote_id"));`,
    )
    this.addSql(`create index "quote_use_execution_id_index" on "quote_use" ("execution_id");`)

    this.addSql(
      `create table "session" ("id" text not null, "user_id" int not null, "name" text not null, "created_at" timestamptz(3) not null, primary key ("id"));`,
    )
    this.addSql(`create index "session_user_id_created_at_index" on "session" ("user_id", "created_at");`)

    this.addSql(
      `create table "message" ("id" serial primary key, "session_id" text not null, "role" text not null, "content" text not null, "created_at" timestamptz(3) not null);`,
    )
    this.addSql(`create index "message_session_id_id_index" on "message" ("session_id", "id");`)

    this.addSql(
      `create table "chat_stream" ("id" text not null, "session_id" text not null, "state" text not null, "stop_requested" boolean not null, "error_code" text null, "error_message" text null, "created_at" timestamptz(3) not null, primary key ("id"));`,
    )

    this.addSql(
      `create table "chat_chunk" ("stream_id" text not null, "seq" int not null, "content" text not null, primary key ("stream_id", "seq"));`,
    )

    this.addSql(
      `create table "trading_halt" ("scope" text not null, "target" text not null, "created_at" timestamptz(3) not null, primary key ("scope", "target"));`,
    )

    this.addSql(
      `create table "wallet" ("id" serial primary key, "user_id" int not null, "ref" text not null, "address_key" text not null, "address" text not null, "sealed_key" text not null, "funding" text not null, "created_at" timestamptz(3) not null);`,
    )
    this.addSql(`alter table "wallet" add constraint "wallet_address_key_unique" unique ("address_key");`)
    this.addSql(`create index "wallet_funding_index" on "wallet" ("funding");`)
    this.addSql(`alter table "wallet" add constraint "wallet_user_id_ref_unique" unique ("user_id", "ref");`)

    this.addSql(
      `alter table "execution" add constraint "execution_user_id_foreign" foreign key ("user_id") references "account" ("id") on delete cascade;`,
    )

    this.addSql(
      `alter table "fill" add constraint "fill_user_id_foreign" foreign key ("user_id") references "account" ("id") on delete cascade;`,
    )

    this.addSql(
      `alter table "position" add constraint "position_user_id_foreign" foreign key ("user_id") references "account" ("id") on delete cascade;`,
    )

    this.addSql(
      `alter table "quote" add constraint "quote_user_id_foreign" foreign key ("user_id") references "account" ("id") on delete cascade;`,
    )

    this.addSql(
      `alter table "session" add constraint "session_user_id_foreign" foreign key ("user_id") references "account" ("id") on delete cascade;`,
    )

    this.addSql(
      `alter table "message" add constraint "message_session_id_foreign" foreign key ("session_id") references "session" ("id") on delete cascade;`,
    )

    this.addSql(
      `alter table "chat_stream" add constraint "chat_stream_session_id_foreign" foreign key ("session_id") references "session" ("id") on delete cascade;`,
    )

    this.addSql(
      `alter table "chat_chunk" add constraint "chat_chunk_stream_id_foreign" foreign key ("stream_id") references "chat_stream" ("id") on delete cascade;`,
    )

    this.addSql(
      `alter table "wallet" add constraint "wallet_user_id_foreign" foreign key ("user_id") references "account" ("id") on delete cascade;`,
    )
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "execution" drop constraint "execution_user_id_foreign";`)
    this.addSql(`alter table "fill" drop constraint "fill_user_id_foreign";`)
    this.addSql(`alter table "position" drop constraint "position_user_id_foreign";`)
    this.addSql(`alter table "quote" drop constraint "quote_user_id_foreign";`)
    this.addSql(`alter table "session" drop constraint "session_user_id_foreign";`)
    this.addSql(`alter table "wallet" drop constraint "wallet_user_id_foreign";`)
    this.addSql(`alter table "message" drop constraint "message_session_id_foreign";`)
    this.addSql(`alter table "chat_stream" drop constraint "chat_stream_session_id_foreign";`)
    this.addSql(`alter table "chat_chunk" drop constraint "chat_chunk_stream_id_foreign";`)

    this.addSql(`drop table if exists "account" cascade;`)
    this.addSql(`drop table if exists "booking" cascade;`)
    this.addSql(`drop table if exists "execution" cascade;`)
    this.addSql(`drop table if exists "faucet_address" cascade;`)
    this.addSql(`drop table if exists "faucet_claim" cascade;`)
    this.addSql(`drop table if exists "fill" cascade;`)
    this.addSql(`drop table if exists "outgoing" cascade;`)
    this.addSql(`drop table if exists "position" cascade;`)
    this.addSql(`drop table if exists "quote" cascade;`)
    this.addSql(`drop table if exists "quote_use" cascade;`)
    this.addSql(`drop table if exists "session" cascade;`)
    this.addSql(`drop table if exists "message" cascade;`)
    this.addSql(`drop table if exists "chat_stream" cascade;`)
    this.addSql(`drop table if exists "chat_chunk" cascade;`)
    this.addSql(`drop table if exists "trading_halt" cascade;`)
    this.addSql(`drop table if exists "wallet" cascade;`)
  }
}
