/** Gives the transactions from before their owner was stored the account whose wallet sends them. */
export const ownTransactions =
  'update outgoing set user_id = (select user_id from wallet where address_key = sender) where sender in (select address_key from wallet)'
