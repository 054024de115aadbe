/** `paybell-client`: for programs that subscribe to the events of Paybell. */
export {
  isPaymentEvent,
  type EventOf,
  type EventType,
  type PaybellEvent,
  type PaymentEvent,
} from './events.ts';
export { Inbox, type Handler, type InboxOptions, type InboxOutcome } from './inbox.ts';
export type { InboxStore, Ledger } from './inbox-store.ts';
export { memoryStore, type MemoryStoreOptions } from './memory-store.ts';
export { parseEvent, UnreadableEvent } from './parse-event.ts';
export { parseMessage, type MessageProperties } from './parse-message.ts';
export {
  postgresStore,
  type ClientOf,
  type InboxTableOptions,
  type PooledClient,
  type PostgresStore,
  type SqlClient,
  type SqlPool,
} from './postgres-store.ts';
export { InvalidWebhook, verifyWebhook, type RefusalCode, type WebhookHeaders } from './verify-webhook.ts';
export { verdictOf, type VerdictOptions } from './verdict-of.ts';
export type { Verdict, VerdictReason } from './verdicts.ts';
