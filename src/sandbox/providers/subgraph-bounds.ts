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

/** Values of an answer: one core makes them in a part of a second. */
const mostValues = 40_000
const [usualRows, mostRows] = [100, 1_000]
/** Types of the schema, and what their lists hold on average. */
const [typeRows, describedRows] = [30, 3]

export type Sizes = { schema: GraphQLSchema; variables: Record<string, unknown>; listValues: number }

/**
 * What is wrong with the size of a valid query, or null. It is counted before anything is read, along fragments as
 * often as they are spread and rows as many as are asked for; `listValues` are those that making a list costs.
 */
export function sizeFault(document: DocumentNode, sizes: Sizes): string | null {
  const query = sizes.schema.getQueryType()
  const counted = counter(document, sizes)
  const values = document.definitions.map((one) =>
    one.kind === Kind.OPERATION_DEFINITION && query ? counted(one.selectionSet, query) : 0,
  )
  if (Math.max(...values) <= mostValues) return null
  return `The query asks for more than ${mostValues} values: ask for fewer fields, or fewer rows by first`
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
    if (parent.name.startsWith('__')) return 1 + inner * (node.name.value === 'types' ? typeRows : describedRows)
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

/** Undefined for __typename, which is a value like any other. */
function typeOf(name: string, parent: GraphQLCompositeType): GraphQLOutputType | undefined {
  if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef.type
  if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef.type
  return isObjectType(parent) ? parent.getFields()[name]?.type : undefined
}

function rowsOf({ arguments: given = [] }: FieldNode, variables: Record<string, unknown>): number {
  const first = given.find(({ name }) => name.value === 'first')?.value
  if (first === undefined) return usualRows
  const asked = first.kind === Kind.VARIABLE ? variables[first.name.value] : 'value' in first && Number(first.value)
  return typeof asked === 'number' ? Math.min(mostRows, Math.max(0, asked)) : mostRows
}
