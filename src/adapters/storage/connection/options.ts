import { join } from 'node:path'
import type { Options } from '@mikro-orm/core'
import { Migrator } from '@mikro-orm/migrations'
import { moduleExtension } from '../../../kit/project.ts'
import { entities } from '../entities/all.ts'

export type Dialect = 'sqlite' | 'postgresql'

/** The folder of a dialect's migrations. */
export function migrationFolder(dialect: Dialect): string {
  return join(import.meta.dirname, '../migrations', dialect)
}

/** Options of the gateway and of the migration script. Only the script writes snapshots. */
export function ormOptions(dialect: Dialect, snapshot: boolean) {
  const folder = migrationFolder(dialect)
  return {
    entities,
    extensions: [Migrator],
    forceUtcTimezone: true,
    migrations: {
      path: folder,
      pathTs: folder,
      glob: `!(*.d|*.test)${moduleExtension}`,
      emit: 'ts',
      silent: true,
      snapshot,
      snapshotName: '.snapshot',
      snapshotOnMigrate: false,
      tableName: 'schema_migration',
      disableForeignKeys: false,
    },
  } satisfies Partial<Options>
}
