import { useState } from 'preact/hooks'
import { Action, Field, useWork } from '../parts/forms.tsx'
import { FailureNote } from '../parts/loaded.tsx'
import { ended, logIn, register, trySandbox } from '../state/session.ts'

/** The page of a reader without a session: the sandbox in one step, login, and a new account. */
export function Start({ sandbox }: { sandbox: boolean }) {
  return (
    <main class="page narrow">
      <h1>Trident</h1>
      {ended.value !== null && <p class="note">{ended.value}</p>}
      {sandbox && <Sandbox />}
      <Account />
    </main>
  )
}

function Sandbox() {
  const attempt = useWork(trySandbox)
  return (
    <section>
      <p>
        This gateway runs a sandbox: a chain of its own, with real contracts and money without value. One step makes an
        account, a session and a wallet with funds.
      </p>
      <Action class="primary" running={attempt.running} doing="Making your account" onClick={attempt.run}>
        Try the sandbox
      </Action>
      {attempt.failure !== null && <FailureNote failure={attempt.failure} />}
    </section>
  )
}

const ways = {
  login: { title: 'Log in', doing: 'Logging in', other: 'register', invite: 'Make a new account' },
  register: { title: 'Make an account', doing: 'Making your account', other: 'login', invite: 'Log in instead' },
} as const

function Account() {
  const [way, setWay] = useState<keyof typeof ways>('login')
  // A form of its own for each way: the failure of one says nothing of the other.
  return <AccountForm key={way} way={way} setWay={setWay} />
}

type AccountFormProps = { way: keyof typeof ways; setWay: (way: keyof typeof ways) => void }

function AccountForm({ way, setWay }: AccountFormProps) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const attempt = useWork(() => (way === 'login' ? logIn(email, password) : register(email, password)))
  const { title, doing, other, invite } = ways[way]
  const fields = attempt.failure?.fields ?? {}
  return (
    <section>
      <h2>{title}</h2>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void attempt.run()
        }}
      >
        <Field
          label="E-mail"
          type="email"
          required
          autocomplete="username"
          value={email}
          onText={setEmail}
          error={fields.email ?? fields.username}
        />
        <Field
          label={way === 'login' ? 'Password' : 'Password, at least 8 characters'}
          type="password"
          required
          minLength={way === 'login' ? 1 : 8}
          maxLength={128}
          autocomplete={way === 'login' ? 'current-password' : 'new-password'}
          value={password}
          onText={setPassword}
          error={fields.password}
        />
        {attempt.failure !== null && <FailureNote failure={{ ...attempt.failure, fields: {} }} />}
        <div class="row">
          <Action running={attempt.running} doing={doing}>
            {title}
          </Action>
          <button type="button" class="link" onClick={() => setWay(other)}>
            {invite}
          </button>
        </div>
      </form>
    </section>
  )
}
