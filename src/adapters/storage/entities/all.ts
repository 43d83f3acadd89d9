import { AccountEventEntity, AccountFeedEntity, HaltEventEntity } from './account-feed.ts'
import {
  AccountEntity,
  GuessCountEntity,
  KnownAddressEntity,
  RevokedTokenEntity,
  SessionEntity,
  WalletEntity,
} from './accounts.ts'
import { AuditEntity, AuditHeadEntity } from './audit.ts'
import {
  AwayEntity,
  BookingEntity,
  FillEntity,
  GasEntity,
  OwnTransferEntity,
  PositionEntity,
  ProfitEntity,
  RevisionEntity,
  SnapshotEntity,
  VolumeEntity,
} from './books.ts'
import { ChatChunkEntity, ChatStreamEntity, MessageEntity } from './conversations.ts'
import { FaucetClaimEntity, FaucetDayEntity } from './faucet.ts'
import { MarketSubscriptionEntity } from './market.ts'
import { NodeFilterEntity } from './node-filters.ts'
import { PinEntity } from './pins.ts'
import { OfferEntity, QuoteEntity } from './quotes.ts'
import { AccountLockEntity, AttemptEntity, OutgoingEntity, WorkerEntity } from './sending.ts'
import {
  ExecutionEntity,
  ExecutionMoveEntity,
  FinalBlockEntity,
  HaltEntity,
  QuoteUseEntity,
  UsedConfirmationEntity,
  WalletPolicyEntity,
} from './trading.ts'

/** All tables. The database and its migrations know only the entities in this list. */
export const entities = [
  AccountEntity,
  RevokedTokenEntity,
  GuessCountEntity,
  KnownAddressEntity,
  SessionEntity,
  WalletEntity,
  MessageEntity,
  ChatStreamEntity,
  ChatChunkEntity,
  QuoteEntity,
  OfferEntity,
  ExecutionEntity,
  ExecutionMoveEntity,
  QuoteUseEntity,
  UsedConfirmationEntity,
  OutgoingEntity,
  AttemptEntity,
  AccountLockEntity,
  WorkerEntity,
  WalletPolicyEntity,
  OwnTransferEntity,
  PositionEntity,
  AwayEntity,
  BookingEntity,
  RevisionEntity,
  FillEntity,
  VolumeEntity,
  GasEntity,
  ProfitEntity,
  SnapshotEntity,
  HaltEntity,
  FinalBlockEntity,
  HaltEventEntity,
  AccountFeedEntity,
  AccountEventEntity,
  FaucetClaimEntity,
  FaucetDayEntity,
  NodeFilterEntity,
  MarketSubscriptionEntity,
  AuditEntity,
  AuditHeadEntity,
  PinEntity,
]
