import type { AttentionItem } from '../../api/overview-types.ts';
import { counted } from '../../format/amount.ts';

interface ItemWords {
  readonly title: string;
  /** The thing that the number counts. */
  readonly one: string;
  readonly many?: string;
}

const WORDS: Readonly<Record<string, ItemWords>> = {
  database_failing: { title: 'The database is in trouble', one: 'database' },
  endpoints_disabled: { title: 'Disabled endpoints', one: 'endpoint' },
  endpoints_failing: { title: 'Failing endpoints', one: 'endpoint' },
  endpoints_refusing: { title: 'Some payments are refused', one: 'destination' },
  undelivered: { title: 'Payments that a receiver was not told of', one: 'payment' },
  no_receiver: { title: 'Events without a receiver', one: 'payment' },
  broker_away: { title: 'RabbitMQ is away', one: 'broker' },
  broker_refuses: { title: 'RabbitMQ refuses events', one: 'broker' },
  deliveries_failed: { title: 'Given up', one: 'delivery', many: 'deliveries' },
  order_paid_twice: { title: 'Orders that were paid twice', one: 'order' },
  payments_contradicted: { title: 'The chain contradicts a completion', one: 'payment' },
  payments_unverified: { title: 'Completed by word alone', one: 'payment' },
  rpc_disagrees: { title: 'RPCs that say different things', one: 'payment' },
  rpc_stuck: { title: 'RPCs that are stuck', one: 'payment' },
  deposits_unseen: { title: 'Deposits that the provider misses', one: 'payment' },
  payments_stalled: { title: 'Stalled after the deposit', one: 'payment' },
  payments_anomaly: { title: 'The provider contradicts itself', one: 'payment' },
  payments_late: { title: 'Paid after the expiry', one: 'payment' },
  events_unroutable: { title: 'No queue takes these events', one: 'event type' },
  secrets_unreadable: { title: "Secrets that can't be decrypted", one: 'endpoint' },
  provider_key_refused: { title: 'The provider refuses the key', one: 'provider' },
  provider_circuit_open: { title: 'The provider does not answer', one: 'provider' },
  provider_lists_unread: { title: 'The provider cannot be asked for quotes', one: 'provider' },
  provider_slow: { title: 'The provider answers slowly', one: 'provider' },
  provider_paused: { title: 'The provider asked for a pause', one: 'provider' },
  provider_slowed: { title: 'The provider asked to slow down', one: 'provider' },
  provider_capacity: { title: 'Too many open quotes at once', one: 'provider' },
  budget_short: { title: 'Too few requests for all payments', one: 'provider' },
  quotes_unanswered: { title: 'Quotes without an answer', one: 'request' },
  log_held: { title: 'The event log is held back', one: 'transaction' },
  roles_missing: { title: 'Work that no replica does', one: 'role' },
  settings_disagree: { title: 'Replicas with different settings', one: 'setting' },
  replicas_lost: { title: 'Replicas that went away', one: 'replica' },
};

export function itemTitle(code: string): string {
  return WORDS[code]?.title ?? code.replaceAll('_', ' ');
}

/** `over 10,000 payments`. */
export function itemCount({ code, count, isMore, payments }: AttentionItem): string {
  // A card about endpoints counts endpoints; their payments' sums stand below.
  if (payments && payments.count > 0 && !isOfEndpoints(code))
    return `${payments.isMore ? 'over ' : ''}${counted(payments.count, 'payment')}`;
  const { one, many } = WORDS[code] ?? { one: 'thing' };
  return `${isMore ? 'over ' : ''}${counted(count, one, many)}`;
}

/** Whether a card counts endpoints, and shows the payments that these were not told beside. */
export function isOfEndpoints(code: string): boolean {
  return WORDS[code]?.one === 'endpoint';
}
