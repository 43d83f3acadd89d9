import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedWorld, type World } from '../world.ts'
import { readSpecification, type Specification } from './execution-apis.ts'
import { liveFaults, recordedFaults, sendCases } from './execution-apis-cases.ts'

const folder = process.env.EXECUTION_APIS_DIR
const title = folder === undefined ? 'NOT RUN, set EXECUTION_APIS_DIR to a copy of ethereum/execution-apis: ' : ''
if (folder === undefined) console.warn('Conformance is NOT tested: EXECUTION_APIS_DIR is not set.')
const conforms = test.skipIf(folder === undefined)

let world: World
let specification: Specification
beforeAll(async () => {
  if (folder === undefined) return
  specification = readSpecification(folder)
  world = await sharedWorld()
})
afterAll(async () => await world?.[Symbol.asyncDispose]())

conforms(`${title}results of every method match its schema`, async () => {
  const claim = new URL('/faucet/api/claim', world.urls.http)
  const headers = { 'content-type': 'application/json' }
  const sent = await sendCases({
    url: world.urls.rpc,
    chainId: 84_532,
    pay: (address) => fetch(claim, { method: 'POST', headers, body: JSON.stringify({ address }) }),
  })
  const { asked, faults, untested } = await liveFaults(world.urls.rpc, specification, sent)
  console.info(`execution-apis: ${asked - faults.length} of ${asked} live results match`)
  expect(faults).toEqual([])
  expect(untested).toEqual([])
})

conforms(`${title}every recorded request is understood, and its failures have the recorded codes`, async () => {
  const { asked, faults } = await recordedFaults(world.urls.rpc, specification)
  console.info(`execution-apis: ${asked - faults.length} of ${asked} recorded requests are understood`)
  expect(faults).toEqual([])
})
