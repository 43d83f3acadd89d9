/** A quote that an answer has shown in a session, which makes it one that can be confirmed there. */
export type Offer = {
  quoteId: string
  sessionId: string
  /** Wallet that the quote was asked for; null where none was named. */
  walletRef: string | null
  offeredAt: Date
}

/** The quotes that sessions were shown; each goes with its quote, with its session, and with the history of that. */
export interface Offers {
  /** Keeps what an answer showed in its session, and nothing where that answer is over or cleared. */
  save(offer: Omit<Offer, 'sessionId'>, answerId: string): Promise<void>
  /** Null where this session was not shown the quote, whoever else was. */
  find(sessionId: string, quoteId: string): Promise<Offer | null>
  /** Those that the session was shown since the moment. */
  since(sessionId: string, moment: Date): Promise<Offer[]>
}
