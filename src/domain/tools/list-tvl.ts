import type { contract } from '../../contract/index.ts'
import { describeTools } from '../../contract/tools/tool-table.ts'
import { tvlTools } from '../../contract/tools/tvl-tool-table.ts'
import type { Handler } from '../core/handler.ts'

/** The tools of the TVL provider with the schemas of their arguments. */
export const listTvl: Handler<typeof contract.tools.listTvl> = async () => ({ tools: describeTools(tvlTools) })
