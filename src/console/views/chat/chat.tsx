import { useEffect, useRef, useState } from 'preact/hooks'
import { Action, useWork, type Work } from '../../parts/forms.tsx'
import { FailureNote, Shown, useLoaded } from '../../parts/loaded.tsx'
import {
  answering,
  clearConversation,
  earlier,
  readConversation,
  readEarlier,
  say,
  stopAnswer,
  type Turn,
  turns,
} from '../../state/chat.ts'
import { plainWord } from '../../values/words.ts'
import { Risk } from '../trade/risk.tsx'
import { QuoteCard } from './quote-card.tsx'

const suggestions = ['swap 1500 USDC for WETH', 'show my positions', 'what is the TVL of Ethereum?', 'is WETH risky?']

/** The conversation with the assistant. */
export function Chat() {
  const loaded = useLoaded(readConversation, [])
  return (
    <Shown of={loaded} what="the conversation">
      {() => (
        <>
          <Conversation />
          <Ask />
        </>
      )}
    </Shown>
  )
}

function Conversation() {
  const before = useWork(readEarlier)
  const end = useRef<HTMLDivElement>(null)
  const { length } = turns.value
  const last = turns.value.at(-1)
  const grown = `${last?.content.length} ${last?.cards.length} ${last?.error} ${answering.value}`
  // A new piece of text keeps the end in view.
  useEffect(() => end.current?.scrollIntoView({ block: 'nearest' }), [length, grown])
  return (
    <section class="chat" role="log" aria-label="Conversation">
      {earlier.value !== null && (
        <Action class="small" running={before.running} doing="Reading" onClick={before.run}>
          Earlier messages
        </Action>
      )}
      {before.failure !== null && <FailureNote failure={before.failure} />}
      {length === 0 && (
        <p class="quiet">
          Ask for a quote, your positions, a protocol or the risk of a token. Nothing trades before you confirm a quote.
        </p>
      )}
      {turns.value.map((turn, index) => (
        <Message key={`${index}-${turn.role}`} turn={turn} isLast={index === length - 1} />
      ))}
      <div class="end" ref={end} />
    </section>
  )
}

function Message({ turn, isLast }: { turn: Turn; isLast: boolean }) {
  const { role, content, cards, sources, tool, error, incomplete } = turn
  const waits = isLast && role === 'assistant' && answering.value
  return (
    <article class={`message ${role}`} aria-label={role === 'user' ? 'You' : 'Assistant'} aria-busy={waits}>
      {content !== '' && <p class="text">{content}</p>}
      {waits && (tool !== undefined || content === '') && (
        <p class="loading">{tool === undefined ? 'Thinking …' : `Using ${plainWord(tool)} …`}</p>
      )}
      {cards.map((card) =>
        card.kind === 'quote' ? (
          <QuoteCard key={card.quote.quote_id} of={card} isOffered={content.includes(card.quote.quote_id)} />
        ) : (
          <div key={card.kind} class="card">
            <Risk report={card.risk} label="Risk" />
          </div>
        ),
      )}
      <OfferedAnew turn={turn} />
      {sources.length > 0 && <p class="quiet">Sources: {sources.join(', ')}</p>}
      {error !== undefined && (
        <p class="note bad" role="alert">
          {error}
        </p>
      )}
      {incomplete !== undefined && error === undefined && <p class="quiet">This answer was {incomplete}.</p>}
    </article>
  )
}

/** The button for a quote that an answer offers without a card, as one that renews an expired quote does. */
function OfferedAnew({ turn: { role, content, cards } }: { turn: Turn }) {
  const [sentence, id] = /\bconfirm ([0-9a-f-]{36})\b/.exec(content) ?? []
  const hasCard = cards.some((card) => card.kind === 'quote' && card.quote.quote_id === id)
  if (role === 'user' || sentence === undefined || hasCard) return null
  return (
    <button type="button" disabled={answering.value} onClick={() => say(sentence)}>
      Confirm this quote
    </button>
  )
}

function Ask() {
  const [text, setText] = useState('')
  const stop = useWork(stopAnswer)
  const clear = useWork(clearConversation)
  const failure = stop.failure ?? clear.failure
  const send = (content: string) => {
    if (content.trim() === '' || answering.value || clear.running) return
    setText('')
    void say(content.trim())
  }
  return (
    <form
      class="ask"
      onSubmit={(event) => {
        event.preventDefault()
        send(text)
      }}
    >
      {turns.value.length === 0 && (
        <div class="row">
          {suggestions.map((suggestion) => (
            <button key={suggestion} type="button" class="small" onClick={() => send(suggestion)}>
              {suggestion}
            </button>
          ))}
        </div>
      )}
      <textarea
        aria-label="Message"
        placeholder="Ask, or say what to swap. Enter sends."
        rows={2}
        maxLength={8_000}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          send(text)
        }}
      />
      <div class="row">
        {answering.value ? (
          <Action running={stop.running} doing="Stopping" onClick={stop.run}>
            Stop
          </Action>
        ) : (
          <button type="submit" class="primary" disabled={text.trim() === ''}>
            Send
          </button>
        )}
        {turns.value.length > 0 && !answering.value && <Delete work={clear} />}
      </div>
      {failure !== null && <FailureNote failure={failure} />}
    </form>
  )
}

/** Deletes the conversation after a second press. */
function Delete({ work }: { work: Work<[]> }) {
  const [asked, setAsked] = useState(false)
  if (!asked)
    return (
      <button type="button" class="link" onClick={() => setAsked(true)}>
        Delete the conversation
      </button>
    )
  return (
    <>
      <Action running={work.running} doing="Deleting" onClick={work.run}>
        Delete all messages
      </Action>
      <button type="button" onClick={() => setAsked(false)}>
        Keep them
      </button>
    </>
  )
}
