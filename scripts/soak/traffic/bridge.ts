import { strict as assert } from 'node:assert'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { parentAccount } from '../../../src/sandbox/fixtures/testing.ts'
import { parentAddresses, parentChainId } from '../../../src/sandbox/rollup/parameters.ts'
import { createSender, steadyRequest } from '../../../test/drivers/sender.ts'
import { protocols } from '../../../test/world.ts'
import { ask, askNode, follow, type SoakWorld, steadily, type Traffic } from '../world.ts'

/** Users who bring funds: from the faucet, and over the bridge. */
export const bridge: Traffic = {
  name: 'bridge',
  pauseMs: 5_000,
  async begin(world, { one }) {
    const parent = createSender(steadyRequest(world.gateway.urls.l1), parentAccount, parentChainId)
    const claims: string[] = []
    const allArrived = async (by: SoakWorld) => {
      for (const tx_hash of claims)
        await steadily(async () => {
          const { status } = await ask(by, { client: by.clients.rest, id: 'chain.faucetClaim', input: { tx_hash } })
          assert.equal(status, 'success', `the claim ${tx_hash}`)
        })
      for (const l1_tx_hash of parent.acknowledged)
        await steadily(async () => {
          const { state } = await ask(by, { client: by.clients.grpc, id: 'chain.bridgeStatus', input: { l1_tx_hash } })
          assert.equal(state, 'complete', `the deposit ${l1_tx_hash}`)
        })
    }
    return {
      async round() {
        const client = world.clients[one(protocols)]
        const address = privateKeyToAddress(generatePrivateKey())
        const { claimId } = await ask(world, { client, id: 'chain.claimFaucet', input: { address } })
        claims.push(claimId)
        const hash = await parent.send({ to: parentAddresses.portal, value: 10n ** 16n })
        const input = { l1_tx_hash: hash }
        let state = 'unknown'
        for await (const event of follow(world, { client, id: 'chain.watchBridge', input })) state = event.state
        if (state !== 'complete') world.outcomes.broken(`a deposit was watched to ${state}`)
        await ask(world, { client: world.clients[one(protocols)], id: 'chain.bridgeStatus', input })
      },
      async settled() {
        assert.ok(claims.length > 0 && parent.acknowledged.length > 0, 'nobody has come with money')
        await allArrived(world)
        await askNode(world, 'eth_blockNumber')
        console.log(`bridge: ${claims.length} claims paid, ${parent.acknowledged.length} deposits carried`)
      },
      restarted: allArrived,
    }
  },
}
