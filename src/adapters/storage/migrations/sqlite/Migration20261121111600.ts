import { Migration } from '@mikro-orm/migrations'

export class Migration20261121111600 extends Migration {
  override name = 'Migration20261121111600'

  override up(): void | Promise<void> {
    this.addSql(
      `create table \`faucet_day\` (\`id\` integer not null primary key autoincrement, \`day\` text not null, \`paid\` text not null);`,
    )

    this.addSql(`drop table if exists \`faucet_address\`;`)

    this.addSql(`alter table \`faucet_claim\` add column \`chain_id\` bigint not null default '0';`)
    this.addSql(`alter table \`faucet_claim\` add column \`caller_key\` text not null default '';`)
    this.addSql(`alter table \`faucet_claim\` add column \`state\` text not null default 'sent';`)
    this.addSql(`update \`faucet_claim\` set \`state\` = 'failed' where \`released\`;`)
    this.addSql(`alter table \`faucet_claim\` drop column \`released\`;`)
    this.addSql(`create index \`faucet_claim_state_index\` on \`faucet_claim\` (\`state\`);`)
    this.addSql(
      `create index \`faucet_claim_caller_key_created_at_index\` on \`faucet_claim\` (\`caller_key\`, \`created_at\`);`,
    )
  }

  override down(): void | Promise<void> {
    this.addSql(`create table \`faucet_address\` (\`address_key\` text not null primary key);`)

    this.addSql(`drop table if exists \`faucet_day\`;`)

    this.addSql(`drop index \`faucet_claim_state_index\`;`)
    this.addSql(`drop index \`faucet_claim_caller_key_created_at_index\`;`)
    this.addSql(`alter table \`faucet_claim\` drop column \`chain_id\`;`)
    this.addSql(`alter table \`faucet_claim\` drop column \`caller_key\`;`)
    this.addSql(`alter table \`faucet_claim\` drop column \`state\`;`)
    this.addSql(`alter table \`faucet_claim\` add column \`released\` integer not null;`)
  }
}
