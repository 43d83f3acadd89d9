import { AccountEntity, SessionEntity, WalletEntity } from './accounts.ts'
import { ChatChunkEntity, ChatStreamEntity, MessageEntity } from './conversations.ts'
import { NodeFilterEntity } from './node-filters.ts'
import { QuoteEntity } from './quotes.ts'
import {
  BookingEntity,
  ExecutionEntity,
  FaucetAddressEntity,
  FaucetClaimEntity,
  FillEntity,
  HaltEntity,
  OutgoingEntity,
  PositionEntity,
  QuoteUseEntity,
} from './trading.ts'

/** Every table. An entity that is not in this list does not exist for the database or for its migrations. */
export const entities = [
  AccountEntity,
  SessionEntity,
  WalletEntity,
  MessageEntity,
  ChatStreamEntity,
  ChatChunkEntity,
  QuoteEntity,
  ExecutionEntity,
  QuoteUseEntity,
  OutgoingEntity,
  PositionEntity,
  BookingEntity,
  FillEntity,
  HaltEntity,
  FaucetClaimEntity,
  FaucetAddressEntity,
  NodeFilterEntity,
]
