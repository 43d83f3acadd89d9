import type { Operation } from '../shared/operation.ts'
import type { Tool } from './tool-table.ts'

/** An operation as a tool: its description with its REST path, and the schema that checks its arguments. */
export function operationTool({ summary, http, input }: Pick<Operation, 'summary' | 'http' | 'input'>): Tool {
  return {
    description: http === undefined ? summary : `${summary} (${http.method} ${http.path})`,
    arguments: input,
  }
}
