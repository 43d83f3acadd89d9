import { type ASTVisitor, GraphQLError, type ValidationContext } from 'graphql'

const mostDeep = 8
const mostFields = 200

/** A rule of validation: no query nests or asks for more than a page of facts needs. Introspection is left alone. */
export function boundsOf(context: ValidationContext): ASTVisitor {
  let depth = 0
  let fields = 0
  const refuse = (message: string) => context.reportError(new GraphQLError(message))
  return {
    Field: {
      enter({ name }) {
        if (name.value.startsWith('__')) return false
        depth += 1
        fields += 1
        if (depth === mostDeep + 1) refuse(`The query is nested more than ${mostDeep} deep`)
        if (fields === mostFields + 1) refuse(`The query asks for more than ${mostFields} fields`)
        return undefined
      },
      leave() {
        depth -= 1
      },
    },
  }
}
