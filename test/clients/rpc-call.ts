import { asOperator } from '../operator-token.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of every method pass through here
export type Reply = { result?: any; error?: { code: number; message: string; data?: any } }

/** One JSON-RPC call by POST. Rejects where there is no response. Methods of the operator are called with its token. */
export async function rpc(url: string, method: string, ...params: unknown[]): Promise<Reply> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(method.startsWith('admin_') ? asOperator : {}) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return (await response.json()) as Reply
}
