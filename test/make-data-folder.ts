import { openWorld } from './world.ts'

// Makes the data folder that is the first argument: that of a gateway which has run for a few blocks, without accounts.
const [, , dataDir = ''] = process.argv
await using world = await openWorld({ DATA_DIR: dataDir })
const newest = async () => Number(await world.askChain('eth_blockNumber', []))
const first = await newest()
while ((await newest()) === first) await new Promise((resolve) => setTimeout(resolve, 50))
