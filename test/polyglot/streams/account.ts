import type { StreamEvent } from './readers.ts'

export type Execution = { execution_id: string; status: string }
type Token = { token: { access_token: string } }
type Chain = { chain_id: number; tokens: { symbol: string; address: string }[] }

/** An account with play money, over REST. */
export type Account = {
  token: string
  get<T>(path: string): Promise<T>
  /** Trades a little WETH for USDC, or back; the first trade waits for the play money. */
  trade(back: boolean): Promise<Execution>
  /** Reads a stream with nothing between it and the gateway, until it ends or is stopped. */
  readUncut(path: string, take: (event: StreamEvent) => void, stop: AbortSignal): Promise<void>
}

export async function newAccount(url: string): Promise<Account> {
  let token = ''
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const text = body === undefined ? null : JSON.stringify(body)
    const answer = await fetch(url + path, { method, headers, body: text, signal: AbortSignal.timeout(60_000) })
    if (!answer.ok) throw new Error(`${answer.status} of ${path}: ${await answer.text()}`)
    return (await answer.json()) as T
  }
  const email = `streams-${crypto.randomUUID()}@example.com`
  const registered = await call<Token>('POST', '/api/v1/auth/register', { email, password: 'correct horse battery' })
  token = registered.token.access_token
  token = (await call<Token>('POST', '/api/v1/auth/session')).token.access_token
  const [chain] = await call<Chain[]>('GET', '/api/v1/chains')
  const address = (symbol: string) => chain?.tokens.find((token) => token.symbol === symbol)?.address

  return {
    token,
    get: (path) => call('GET', path),
    async trade(back) {
      const swap = {
        chain_id: chain?.chain_id,
        token_in_address: address(back ? 'USDC' : 'WETH'),
        token_out_address: address(back ? 'WETH' : 'USDC'),
        amount_in: back ? '20' : '0.01',
        slippage_bps: 50,
        simulate_only: false,
      }
      const keys = { confirm: true, wallet_ref: 'default', idempotency_key: crypto.randomUUID() }
      const trade = await call<Execution>('POST', '/api/v1/multi-agent/execute/evm', { input: swap, ...keys })
      if (trade.status !== 'success') throw new Error(`expected a trade, got ${JSON.stringify(trade)}`)
      return trade
    },
    async readUncut(path, take, stop) {
      const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}` }, signal: stop })
      if (!answer.ok || answer.body === null) throw new Error(`${answer.status} of ${path}: ${await answer.text()}`)
      let rest = ''
      for await (const text of answer.body.pipeThrough(new TextDecoderStream())) {
        const blocks = (rest + text).split('\n\n')
        rest = blocks.pop() ?? ''
        for (const block of blocks) take({ id: fieldOf('id', block), data: fieldOf('data', block) })
      }
    },
  }
}

function fieldOf(name: string, block: string): string {
  return new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? ''
}
