import { Migration } from '@mikro-orm/migrations'

export class Migration20261121054932 extends Migration {
  override name = 'Migration20261121054932'

  override up(): void | Promise<void> {
    this.addSql(
      `create table \`account\` (\`id\` integer not null primary key autoincrement, \`email\` text not null, \`password_hash\` text not null, \`created_at\` datetime not null);`,
    )
    this.addSql(`create unique index \`account_email_unique\` on \`account\` (\`email\`);`)

    this.addSql(`create table \`booking\` (\`reference\` text not null primary key);`)

    this.addSql(
      `create table \`execution\` (\`id\` text not null primary key, \`user_id\` integer not null, \`idempotency_key\` text not null, \`fingerprint\` text not null, \`chain_id\` bigint not null, \`wallet_ref\` text not null, \`wallet_address\` text not null, \`agent\` text not null, \`quote_id\` text null, \`token_in\` text not null, \`token_out\` text not null, \`amount_in\` text not null, \`expected_out\` text null, \`minimum_out\` text null, \`route\` text null, \`value_usd\` text null, \`state\` text not null, \`message\` text not null, \`transaction_hash\` text null, \`amount_out\` text null, \`gas_used\` text null, \`fee_wei\` text null, \`block_number\` text null, \`created_at\` datetime not null, \`updated_at\` datetime not null, constraint \`execution_user_id_foreign\` foreign key (\`user_id\`) references \`account\` (\`id\`) on delete cascade);`,
    )
    this.addSql(`create index \`execution_state_index\` on \`execution\` (\`state\`);`)
    this.addSql(`create index \`execution_user_id_created_at_index\` on \`execution\` (\`user_id\`, \`created_at\`);`)
    this.addSql(
      `create unique index \`execution_user_id_idempotency_key_unique\` on \`execution\` (\`user_id\`, \`idempotency_key\`);`,
    )

    this.addSql(`create table \`faucet_address\` (\`address_key\` text not null primary key);`)

    this.addSql(
      `create table \`faucet_claim\` (\`id\` text not null primary key, \`address\` text not null, \`address_key\` text not null, \`amount\` text not null, \`released\` integer not null, \`created_at\` datetime not null);`,
    )
    this.addSql(
      `create index \`faucet_claim_address_key_created_at_index\` on \`faucet_claim\` (\`address_key\`, \`created_at\`);`,
    )

    this.addSql(
      `create table \`fill\` (\`execution_id\` text not null primary key, \`user_id\` integer not null, \`agent\` text not null, \`wallet_address\` text not null, \`chain_id\` bigint not null, \`token_in\` text not null, \`token_out\` text not null, \`amount_in\` text not null, \`amount_out\` text not null, \`value_usd\` text not null, \`realized_pnl_usd\` text not null, \`transaction_hash\` text not null, \`at\` datetime not null, constraint \`fill_user_id_foreign\` foreign key (\`user_id\`) references \`account\` (\`id\`) on delete cascade);`,
    )
    this.addSql(`create index \`fill_user_id_at_index\` on \`fill\` (\`user_id\`, \`at\`);`)

    this.addSql(
      `create table \`outgoing\` (\`id\` integer not null primary key autoincrement, \`chain_id\` bigint not null, \`sender\` text not null, \`from_address\` text not null, \`nonce\` integer null, \`kind\` text not null, \`reference\` text not null, \`position\` integer not null, \`to_address\` text not null, \`data\` text not null, \`value\` text not null, \`gas\` text not null, \`raw\` text null, \`hash\` text null, \`state\` text not null, \`error\` text null, \`settled\` integer not null);`,
    )
    this.addSql(`create index \`outgoing_hash_index\` on \`outgoing\` (\`hash\`);`)
    this.addSql(`create index \`outgoing_settled_index\` on \`outgoing\` (\`settled\`);`)
    this.addSql(
      `create unique index \`outgoing_chain_id_sender_nonce_unique\` on \`outgoing\` (\`chain_id\`, \`sender\`, \`nonce\`);`,
    )
    this.addSql(
      `create unique index \`outgoing_reference_position_unique\` on \`outgoing\` (\`reference\`, \`position\`);`,
    )

    this.addSql(
      `create table \`position\` (\`id\` integer not null primary key autoincrement, \`user_id\` integer not null, \`agent\` text not null, \`wallet_address\` text not null, \`chain_id\` bigint not null, \`token\` text not null, \`quantity\` text not null, \`cost_usd\` text not null, \`realized_pnl_usd\` text not null, \`updated_at\` datetime not null, constraint \`position_user_id_foreign\` foreign key (\`user_id\`) references \`account\` (\`id\`) on delete cascade);`,
    )
    this.addSql(
      `create unique index \`position_user_id_agent_wallet_address_chain_id_token_unique\` on \`position\` (\`user_id\`, \`agent\`, \`wallet_address\`, \`chain_id\`, \`token\`);`,
    )

    this.addSql(
      `create table \`quote\` (\`id\` text not null primary key, \`user_id\` integer not null, \`chain_id\` bigint not null, \`token_in\` text not null, \`token_out\` text not null, \`amount_in\` text not null, \`expected_out\` text not null, \`spot_out\` text not null, \`slippage_bps\` integer not null, \`price_impact_bps\` integer not null, \`gas_estimate\` text not null, \`route\` text not null, \`expires_at\` datetime not null, \`created_at\` datetime not null, constraint \`quote_user_id_foreign\` foreign key (\`user_id\`) references \`account\` (\`id\`) on delete cascade);`,
    )
    this.addSql(`create index \`quote_user_id_index\` on \`quote\` (\`user_id\`);`)
    this.addSql(`create index \`quote_expires_at_index\` on \`quote\` (\`expires_at\`);`)

    this.addSql(`create table \`quote_use\` (\`quote_id\` text not null primary key, \`execution_id\` text not null);`)
    this.addSql(`create index \`quote_use_execution_id_index\` on \`quote_use\` (\`execution_id\`);`)

    this.addSql(
      `create table \`session\` (\`id\` text not null primary key, \`user_id\` integer not null, \`name\` text not null, \`created_at\` datetime not null, constraint \`session_user_id_foreign\` foreign key (\`user_id\`) references \`account\` (\`id\`) on delete cascade);`,
    )
    this.addSql(`create index \`session_user_id_index\` on \`session\` (\`user_id\`);`)
    this.addSql(`create index \`session_user_id_created_at_index\` on \`session\` (\`user_id\`, \`created_at\`);`)

    this.addSql(
      `create table \`message\` (\`id\` integer not null primary key autoincrement, \`session_id\` text not null, \`role\` text not null, \`content\` text not null, \`created_at\` datetime not null, constraint \`message_session_id_foreign\` foreign key (\`session_id\`) references \`session\` (\`id\`) on delete cascade);`,
    )
    this.addSql(`create index \`message_session_id_id_index\` on \`message\` (\`session_id\`, \`id\`);`)

    this.addSql(
      `create table \`chat_stream\` (\`id\` text not null primary key, \`session_id\` text not null, \`state\` text not null, \`stop_requested\` integer not null, \`error_code\` text null, \`error_message\` text null, \`created_at\` datetime not null, constraint \`chat_stream_session_id_foreign\` foreign key (\`session_id\`) references \`session\` (\`id\`) on delete cascade);`,
    )
    this.addSql(`create index \`chat_stream_session_id_index\` on \`chat_stream\` (\`session_id\`);`)

    this.addSql(
      `create table \`chat_chunk\` (\`stream_id\` text not null, \`seq\` integer not null, \`content\` text not null, primary key (\`stream_id\`, \`seq\`), constraint \`chat_chunk_stream_id_foreign\` foreign key (\`stream_id\`) references \`chat_stream\` (\`id\`) on delete cascade);`,
    )

    this.addSql(
      `create table \`trading_halt\` (\`scope\` text not null, \`target\` text not null, \`created_at\` datetime not null, primary key (\`scope\`, \`target\`));`,
    )

    this.addSql(
      `create table \`wallet\` (\`id\` integer not null primary key autoincrement, \`user_id\` integer not null, \`ref\` text not null, \`address_key\` text not null, \`address\` text not null, \`sealed_key\` text not null, \`funding\` text not null, \`created_at\` datetime not null, constraint \`wallet_user_id_foreign\` foreign key (\`user_id\`) references \`account\` (\`id\`) on delete cascade);`,
    )
    this.addSql(`create index \`wallet_user_id_index\` on \`wallet\` (\`user_id\`);`)
    this.addSql(`create unique index \`wallet_address_key_unique\` on \`wallet\` (\`address_key\`);`)
    this.addSql(`create index \`wallet_funding_index\` on \`wallet\` (\`funding\`);`)
    this.addSql(`create unique index \`wallet_user_id_ref_unique\` on \`wallet\` (\`user_id\`, \`ref\`);`)
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`account\`;`)
    this.addSql(`drop table if exists \`booking\`;`)
    this.addSql(`drop table if exists \`execution\`;`)
    this.addSql(`drop table if exists \`faucet_address\`;`)
    this.addSql(`drop table if exists \`faucet_claim\`;`)
    this.addSql(`drop table if exists \`fill\`;`)
    this.addSql(`drop table if exists \`outgoing\`;`)
    this.addSql(`drop table if exists \`position\`;`)
    this.addSql(`drop table if exists \`quote\`;`)
    this.addSql(`drop table if exists \`quote_use\`;`)
    this.addSql(`drop table if exists \`session\`;`)
    this.addSql(`drop table if exists \`message\`;`)
    this.addSql(`drop table if exists \`chat_stream\`;`)
    this.addSql(`drop table if exists \`chat_chunk\`;`)
    this.addSql(`drop table if exists \`trading_halt\`;`)
    this.addSql(`drop table if exists \`wallet\`;`)
  }
}
