import type { contract } from '../../contract/index.ts'
import { describeTools } from '../../contract/tool-table.ts'
import { tvlTools } from '../../contract/tvl-tools.ts'
import type { Handler } from '../handler.ts'

/** The tools of the TVL provider with the schemas of their arguments. */
export const listTvl: Handler<typeof contract.tools.listTvl> = async () => ({ tools: describeTools(tvlTools) })
