import type { MetadataStorage } from '@mikro-orm/core'
import type { Dialect } from './options.ts'

/** A value as it is bound to a statement. */
export type Value = string | number | boolean | null | readonly (string | number | boolean | null)[]

/** A column, and how its values are bound and read. */
type Column = { property: string; name: string; bind(value: unknown): Value; read(value: unknown): unknown }

/** A table, from the metadata of its entity. `serial` is the column whose values the database assigns. */
export type Shape = {
  table: string
  columns: ReadonlyMap<string, Column>
  key: readonly Column[]
  serial: Column | null
}

type Property = { name: string; fieldNames: string[]; runtimeType: string; autoincrement?: boolean | undefined }

/** Returns a function that finds the shape of a table by the name of its entity. */
export function tableShapes(metadata: MetadataStorage, dialect: Dialect): (name: string) => Shape {
  const shapes = new Map(
    [...metadata.getAll().values()].map(({ className, tableName, primaryKeys, props }) => {
      const columns = new Map(props.map((property) => [property.name, columnOf(property as Property, dialect)]))
      const key = primaryKeys.map((name) => columns.get(name)).filter((column) => column !== undefined)
      const counted = props.find((property) => property.autoincrement === true)
      const serial = counted === undefined ? null : (columns.get(counted.name) ?? null)
      return [className, { table: quote(tableName), columns, key, serial }] as const
    }),
  )
  return (name) => {
    const shape = shapes.get(name)
    if (shape === undefined) throw new Error(`There is no table for ${name}. Add its entity to entities/all.ts.`)
    return shape
  }
}

function columnOf({ name: property, fieldNames, runtimeType }: Property, dialect: Dialect): Column {
  const name = quote(fieldNames[0] ?? property)
  const { bind, read } = (dialect === 'sqlite' ? sqliteKinds : postgresKinds)[runtimeType] ?? plain
  return {
    property,
    name,
    bind: (value) => (value === null ? null : bind(value)),
    read: (value) => (value === null ? null : read(value)),
  }
}

type Kind = { bind(value: unknown): Value; read(value: unknown): unknown }

const plain: Kind = { bind: (value) => value as Value, read: (value) => value }

/** SQLite stores times as milliseconds since 1970, and booleans as 0 and 1. */
const sqliteKinds: Record<string, Kind> = {
  Date: { bind: (value) => (value as Date).getTime(), read: (value) => new Date(value as number) },
  boolean: { bind: (value) => (value === true ? 1 : 0), read: (value) => value === 1 },
}

/** The driver leaves times and large whole numbers as text. */
const postgresKinds: Record<string, Kind> = {
  Date: { bind: (value) => (value as Date).toISOString(), read: (value) => new Date(value as string) },
  number: { bind: plain.bind, read: Number },
}

function quote(name: string): string {
  return `"${name}"`
}
