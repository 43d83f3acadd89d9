import { Migration } from '@mikro-orm/migrations'
import { type Fill, volumeOfFills } from '../volume-of-fills.ts'

export class Migration20261121110953 extends Migration {
  override name = 'Migration20261121110953'

  override async up(): Promise<void> {
    this.addSql(
      `create table \`volume\` (\`user_id\` integer not null, \`size\` text not null, \`slot\` integer not null, \`agent\` text not null, \`value_usd\` text not null, primary key (\`user_id\`, \`size\`, \`slot\`, \`agent\`));`,
    )

    this.addSql(`alter table \`booking\` add column \`place\` text not null default '';`)
    this.addSql(`alter table \`booking\` add column \`seq\` integer not null default 0;`)
    this.addSql(`alter table \`booking\` add column \`facts\` text not null default '';`)
    this.addSql(`alter table \`booking\` add column \`entries\` text not null default '[]';`)
    this.addSql(`alter table \`booking\` add column \`before\` text not null default '[]';`)
    this.addSql(`create index \`booking_place_seq_index\` on \`booking\` (\`place\`, \`seq\`);`)
    const fills = await this.execute('select user_id, agent, at, value_usd from fill')
    for (const sum of volumeOfFills(fills as Fill[])) this.addSql(sum)
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`volume\`;`)

    this.addSql(`drop index \`booking_place_seq_index\`;`)
    this.addSql(`alter table \`booking\` drop column \`place\`;`)
    this.addSql(`alter table \`booking\` drop column \`seq\`;`)
    this.addSql(`alter table \`booking\` drop column \`facts\`;`)
    this.addSql(`alter table \`booking\` drop column \`entries\`;`)
    this.addSql(`alter table \`booking\` drop column \`before\`;`)
  }
}
