import { Migration } from '@mikro-orm/migrations'

export class Migration20261121113847_trade_states extends Migration {
  override name = 'Migration20261121113847_trade_states'

  override up(): void | Promise<void> {
    this.addSql(
      `create table \`attempt\` (\`outgoing_id\` integer not null, \`position\` integer not null, \`purpose\` text not null, \`raw\` text not null, \`hash\` text not null, \`max_fee_per_gas\` text not null, \`max_priority_fee_per_gas\` text not null, \`offered_at\` bigint null, primary key (\`outgoing_id\`, \`position\`));`,
    )
    this.addSql(`create unique index \`attempt_hash_unique\` on \`attempt\` (\`hash\`);`)

    this.addSql(
      `create table \`execution_move\` (\`execution_id\` text not null, \`step\` integer not null, \`state\` text not null, \`message\` text not null, \`transaction_hash\` text null, \`amount_out\` text null, \`gas_used\` text null, \`fee_wei\` text null, \`block_number\` text null, \`updated_at\` datetime not null, primary key (\`execution_id\`, \`step\`));`,
    )

    this.addSql(
      `create table \`lane\` (\`chain_id\` bigint not null, \`sender\` text not null, \`holder\` text null, primary key (\`chain_id\`, \`sender\`));`,
    )

    this.addSql(
      `create table \`wallet_policy\` (\`wallet\` text not null primary key, \`max_trade_usd\` text null, \`max_daily_usd\` text null, \`tokens\` text null, \`venues\` text null, \`chains\` text null);`,
    )

    this.addSql(`create table \`worker\` (\`id\` text not null primary key, \`until\` datetime not null);`)

    this.addSql(`alter table \`execution\` add column \`step\` integer not null default 1;`)
    this.addSql(`alter table \`execution\` add column \`facts\` text null;`)
    this.addSql(`alter table \`execution\` add column \`basis\` text null;`)
    this.addSql(`alter table \`execution\` add column \`holder\` text null;`)

    this.addSql(`drop index \`outgoing_settled_index\`;`)
    this.addSql(`alter table \`outgoing\` add column \`version\` integer not null default 1;`)
    this.addSql(`alter table \`outgoing\` add column \`deadline\` bigint null;`)
    this.addSql(`alter table \`outgoing\` add column \`block_number\` bigint null;`)
    this.addSql(`alter table \`outgoing\` add column \`block_hash\` text null;`)
    this.addSql(`alter table \`outgoing\` add column \`told\` integer not null default false;`)
    // What was signed before is the first attempt of each; what a block has decided keeps what came of it.
    this.addSql(
      `insert into attempt (outgoing_id, position, purpose, raw, hash, max_fee_per_gas, max_priority_fee_per_gas) select id, 0, 'leg', raw, lower(hash), '0', '0' from outgoing where raw is not null and hash is not null;`,
    )
    this.addSql(`alter table \`outgoing\` rename column \`raw\` to \`outcome\`;`)
    this.addSql(
      `update outgoing set outcome = case state when 'included' then 'success' when 'reverted' then 'reverted' end, told = settled;`,
    )
    this.addSql(`update outgoing set state = 'included' where state = 'reverted';`)
    this.addSql(
      `create index \`outgoing_chain_id_settled_told_state_index\` on \`outgoing\` (\`chain_id\`, \`settled\`, \`told\`, \`state\`);`,
    )
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`attempt\`;`)
    this.addSql(`drop table if exists \`execution_move\`;`)
    this.addSql(`drop table if exists \`lane\`;`)
    this.addSql(`drop table if exists \`wallet_policy\`;`)
    this.addSql(`drop table if exists \`worker\`;`)

    this.addSql(`alter table \`execution\` drop column \`step\`;`)
    this.addSql(`alter table \`execution\` drop column \`facts\`;`)
    this.addSql(`alter table \`execution\` drop column \`basis\`;`)
    this.addSql(`alter table \`execution\` drop column \`holder\`;`)

    this.addSql(`drop index \`outgoing_chain_id_settled_told_state_index\`;`)
    this.addSql(`alter table \`outgoing\` drop column \`version\`;`)
    this.addSql(`alter table \`outgoing\` drop column \`deadline\`;`)
    this.addSql(`alter table \`outgoing\` drop column \`block_number\`;`)
    this.addSql(`alter table \`outgoing\` drop column \`block_hash\`;`)
    this.addSql(`alter table \`outgoing\` drop column \`told\`;`)
    this.addSql(`alter table \`outgoing\` rename column \`outcome\` to \`raw\`;`)
    this.addSql(`create index \`outgoing_settled_index\` on \`outgoing\` (\`settled\`);`)
  }
}
