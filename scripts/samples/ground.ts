import { type OperationId, operations } from '../../src/contract/index.ts'
import { sample, sampleAddresses } from '../../src/contract/shared/samples.ts'
import { fundedAccount } from '../../test/accounts.ts'
import { type Client, output } from '../../test/clients/client.ts'
import { operatorToken } from '../../test/operator-token.ts'

/** What samples need to run: the tokens that they read from their environment, and what stands for their made-up values. */
export type Ground = { tokens: Record<string, string>; values: Map<string, string> }

/** Makes an account with a session, a trade, a quote, a conversation, a subscription and a payment of the faucet. */
export async function makeGround(client: Client, http: string): Promise<Ground> {
  const { email, userToken, token, sessionId, swap, trade: order, wallet } = await fundedAccount(client)
  const [trade, quote, subscription, claim] = await Promise.all([
    output(client.call('trading.execute', order('WETH', 'USDC', '0.1', 'ground'), token)),
    output(client.call('trading.quote', { input: swap('WETH', 'USDC', '0.1') }, token)),
    output(client.call('tools.subscribeExchange', exampleOf('tools.subscribeExchange'), token)),
    output(client.call('chain.claimFaucet', { address: wallet })),
  ])
  let message = ''
  for await (const { id } of client.stream('chat.stream', exampleOf('chat.stream'), token)) message ||= id
  const sampleEvent = String(exampleOf('chat.resume').after_id)
  return {
    tokens: { TOKEN: token, USER_TOKEN: userToken, OPERATOR_TOKEN: operatorToken },
    values: new Map([
      [sampleAddresses.http, http],
      ['ada@example.com', email],
      [sample.session, sessionId],
      [sample.execution, trade.execution_id],
      [sample.quote, quote.quote_id],
      [String(exampleOf('tools.streamExchange').subscription_id), subscription.subscription_id],
      [String(exampleOf('chain.faucetClaim').tx_hash), claim.txHash],
      [sampleEvent.split(':')[0] ?? '', message.split(':')[0] ?? ''],
    ]),
  }
}

function exampleOf(id: OperationId): Record<string, unknown> {
  const operation = new Map(operations()).get(id)
  if (operation === undefined) throw new Error(`The contract has no ${id}.`)
  return operation.example.input
}
