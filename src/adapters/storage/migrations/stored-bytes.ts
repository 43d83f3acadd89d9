const bytes = '100 + octet_length(content) + coalesce(octet_length(facts), 0)'

/** The statements that count what is stored of chats from before it was counted; answers being written count at their end. */
export const countStoredBytes = [
  `update chat_stream set stored_bytes = (select coalesce(sum(${bytes}), 0) from chat_chunk where stream_id = chat_stream.id)
     where state not in ('running', 'queued')`,
  `update session set stored_bytes =
     (select coalesce(sum(${bytes}), 0) from message where session_id = session.id) +
     (select coalesce(sum(stored_bytes), 0) from chat_stream where session_id = session.id)`,
]
