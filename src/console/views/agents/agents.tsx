import { Connect } from './connect.tsx'
import { Waiting } from './waiting.tsx'

/** What agents ask of the account, and how to give one a session of its own. */
export function Agents() {
  return (
    <>
      <Waiting />
      <Connect />
    </>
  )
}
