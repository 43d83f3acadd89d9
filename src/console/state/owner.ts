import { signal } from '@preact/signals'
import { gateway } from '../gateway/client.ts'
import { session } from './session.ts'

/** How long the password is not asked again. */
const askAgainMs = 3_600_000

/** The account's own token, which no session can replace: in the memory of this tab alone, for an hour. */
const owner = signal<{ token: string; until: number } | null>(null)

/** True where the password was given within the last hour. */
export function isOwner(): boolean {
  return owner.value !== null && owner.value.until > Date.now()
}

/** Logs in for what only the account itself may do. */
export async function becomeOwner(password: string): Promise<void> {
  const { access_token: token } = await gateway.auth.login.mutate({ username: session.value?.email ?? '', password })
  owner.value = { token, until: Date.now() + askAgainMs }
}

/** The token of the account; throws where the password has to be asked. */
export function ownerToken(): string {
  if (owner.value === null || !isOwner()) throw new Error('The password has to be asked again.')
  return owner.value.token
}

/** Forgets the token of the account. */
export function forgetOwner(): void {
  owner.value = null
}
