import {
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql'

/** The most values of a result. One core computes them in a fraction of a second. */
const maxValues = 40_000
const [defaultRows, maxRows] = [100, 1_000]
/** For introspection: the number of types, and the average length of their lists. */
const [typeRows, listRows] = [30, 3]

type Sizes = { schema: GraphQLSchema; variables: Record<string, unknown>; listValues: number }

/**
 * The error for a valid query whose result would be too large, else null. The values are counted before the query runs:
 * fragments as often as they are spread, lists with as many rows as requested. `listValues` is the cost of making a list.
 */
export function sizeFault(document: DocumentNode, sizes: Sizes): string | null {
  const query = sizes.schema.getQueryType()
  const counted = counter(document, sizes)
  const values = document.definitions.map((one) =>
    one.kind === Kind.OPERATION_DEFINITION && query ? counted(one.selectionSet, query) : 0,
  )
  if (Math.max(...values) <= maxValues) return null
  return `The query requests more than ${maxValues} values: request fewer fields, or fewer rows with first`
}

type Count = (selections: SelectionSetNode, parent: GraphQLCompositeType) => number

function counter(document: DocumentNode, { schema, variables, listValues }: Sizes): Count {
  const fragments = new Map(
    document.definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one]] : [])),
  )
  const known = new Map<string, number>()

  function spread(name: string): number {
    const fragment = fragments.get(name)
    const type = fragment && schema.getType(fragment.typeCondition.name.value)
    if (fragment === undefined || !isCompositeType(type)) return 0
    const count = known.get(name) ?? counted(fragment.selectionSet, type)
    known.set(name, count)
    return count
  }

  function field(node: FieldNode, parent: GraphQLCompositeType): number {
    const type = typeOf(node.name.value, parent)
    if (type === undefined) return 1
    const named = getNamedType(type)
    const inner = node.selectionSet !== undefined && isCompositeType(named) ? counted(node.selectionSet, named) : 1
    if (!isListType(getNullableType(type))) return 1 + inner
    if (parent.name.startsWith('__')) return 1 + inner * (node.name.value === 'types' ? typeRows : listRows)
    return 1 + listValues + inner * rowsOf(node, variables)
  }

  const counted: Count = ({ selections }, parent) => {
    let sum = 0
    for (const one of selections) {
      if (one.kind === Kind.FIELD) sum += field(one, parent)
      else if (one.kind === Kind.FRAGMENT_SPREAD) sum += spread(one.name.value)
      else sum += counted(one.selectionSet, parent)
    }
    return sum
  }
  return counted
}

/** Undefined for __typename, which counts as one value. */
function typeOf(name: string, parent: GraphQLCompositeType): GraphQLOutputType | undefined {
  if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef.type
  if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef.type
  return isObjectType(parent) ? parent.getFields()[name]?.type : undefined
}

function rowsOf({ arguments: given = [] }: FieldNode, variables: Record<string, unknown>): number {
  const first = given.find(({ name }) => name.value === 'first')?.value
  if (first === undefined) return defaultRows
  const rows = first.kind === Kind.VARIABLE ? variables[first.name.value] : 'value' in first && Number(first.value)
  return typeof rows === 'number' ? Math.min(maxRows, Math.max(0, rows)) : maxRows
}
