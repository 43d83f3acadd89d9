import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Action, Field, useWork } from '../../parts/forms.tsx'
import { FailureNote } from '../../parts/loaded.tsx'
import { becomeOwner, isOwner } from '../../state/owner.ts'

/** What only the account itself may do: its password is asked first, at most once an hour. */
export function AsOwner({ children }: { children: ComponentChildren }) {
  const [password, setPassword] = useState('')
  const login = useWork(async () => {
    await becomeOwner(password)
    setPassword('')
  })
  if (isOwner()) return <>{children}</>
  return (
    <form
      class="stack narrow"
      onSubmit={(event) => {
        event.preventDefault()
        void login.run()
      }}
    >
      <Field
        label="Your password, asked once an hour"
        type="password"
        required
        autocomplete="current-password"
        value={password}
        onText={setPassword}
      />
      {login.failure !== null && <FailureNote failure={login.failure} />}
      <Action running={login.running} doing="Checking">
        Continue
      </Action>
    </form>
  )
}
