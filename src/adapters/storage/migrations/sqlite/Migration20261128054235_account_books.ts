import { Migration } from '@mikro-orm/migrations'

export class Migration20261128054235_account_books extends Migration {
  override name = 'Migration20261128054235_account_books'

  override up(): void | Promise<void> {
    this.addSql(`create table \`away\` (\`place\` text not null primary key, \`parts\` text not null);`)

    this.addSql(
      `create table \`own_transfer\` (\`reference\` text not null primary key, \`place\` text not null, \`wallet_address\` text not null, \`block\` bigint not null, \`block_hash\` text not null, \`traced_block\` bigint not null, \`traced_nonce\` integer not null);`,
    )
    this.addSql(`create index \`own_transfer_place_index\` on \`own_transfer\` (\`place\`);`)

    this.addSql(`alter table \`booking\` add column \`away_before\` text null;`)

    this.addSql(`alter table \`book_revision\` add column \`traced_block\` bigint null;`)
    this.addSql(`alter table \`book_revision\` add column \`traced_nonce\` integer null;`)

    this.addSql(`alter table \`wallet\` add column \`fresh\` integer not null default false;`)

    // The bookings of an account on a chain become one sequence. Those of different wallets touched different positions
    // until now, so any order that keeps that of each wallet is right.
    this.addSql(
      `update booking set place = numbered.account, seq = numbered.number
         from (
           select reference as id, substr(place, 1, instr(place, ' ') + instr(substr(place, instr(place, ' ') + 1), ' ') - 1) as account,
             row_number() over (partition by substr(place, 1, instr(place, ' ') + instr(substr(place, instr(place, ' ') + 1), ' ') - 1) order by seq, place) as number
           from booking where place <> ''
         ) as numbered
         where booking.reference = numbered.id`,
    )
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`away\`;`)
    this.addSql(`drop table if exists \`own_transfer\`;`)

    this.addSql(`alter table \`book_revision\` drop column \`traced_block\`;`)
    this.addSql(`alter table \`book_revision\` drop column \`traced_nonce\`;`)

    this.addSql(`alter table \`booking\` drop column \`away_before\`;`)

    this.addSql(`alter table \`wallet\` drop column \`fresh\`;`)
  }
}
