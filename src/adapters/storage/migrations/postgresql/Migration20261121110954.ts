import { Migration } from '@mikro-orm/migrations'
import { type Fill, volumeOfFills } from '../volume-of-fills.ts'

export class Migration20261121110954 extends Migration {
  override name = 'Migration20261121110954'

  override async up(): Promise<void> {
    this.addSql(
      `create table "volume" ("user_id" int not null, "size" text not null, "slot" int not null, "agent" text not null, "value_usd" text not null, primary key ("user_id", "size", "slot", "agent"));`,
    )

    this.addSql(
      `alter table "booking" add "place" text not null default '', add "seq" int not null default 0, add "facts" text not null default '', add "entries" text not null default '[]', add "before" text not null default '[]';`,
    )
    this.addSql(`create index "booking_place_seq_index" on "booking" ("place", "seq");`)
    const fills = await this.execute('select user_id, agent, at, value_usd from fill')
    for (const sum of volumeOfFills(fills as Fill[])) this.addSql(sum)
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "volume" cascade;`)

    this.addSql(`drop index "booking_place_seq_index";`)
    this.addSql(
      `alter table "booking" drop column "place", drop column "seq", drop column "facts", drop column "entries", drop column "before";`,
    )
  }
}
