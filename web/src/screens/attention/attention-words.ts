import type { Attention, AttentionItem } from '../../api/overview-types.ts';
import { count, counted } from '../../format/amount.ts';
import { isNeed, needWord } from '../../format/words.ts';

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
  broker_away: { title: 'RabbitMQ is away', one: 'broker' },
  broker_refuses: { title: 'RabbitMQ refuses events', one: 'broker' },
  deliveries_failed: { title: 'Given up', one: 'delivery', many: 'deliveries' },
  rpc_disagrees: { title: 'RPCs that say different things', one: 'waiting payment' },
  rpc_stuck: { title: 'RPCs that are stuck', one: 'waiting payment' },
  events_unroutable: { title: 'No queue takes these events', one: 'event' },
  secrets_unreadable: { title: 'Secrets that cannot be decrypted', one: 'endpoint' },
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
  if (isNeed(code)) return needWord(code);
  return WORDS[code]?.title ?? code.replaceAll('_', ' ');
}

/** `over 10,000 payments`. */
export function itemCount({ code, count, isMore }: AttentionItem): string {
  const { one, many }: Omit<ItemWords, 'title'> = WORDS[code] ?? { one: thingOf(code) };
  return `${isMore ? 'over ' : ''}${counted(count, one, many)}`;
}

function thingOf(code: string): string {
  if (code === 'order_paid_twice') return 'order';
  return isNeed(code) ? 'payment' : 'thing';
}

/** Each payment stands in one card, so that events without a receiver get no second card. */
export function cardsOf(items: readonly AttentionItem[]): AttentionItem[] {
  const hasNoReceiver = items.some(({ code }) => code === 'no_receiver');
  return items.filter(
    ({ code, destinations = [] }) =>
      !(
        hasNoReceiver &&
        code === 'undelivered' &&
        destinations.every(({ destination }) => destination.kind === 'nobody')
      ),
  );
}

export interface Needed {
  readonly shown: string;
  readonly what: string;
}

/**
 * Counts the payments that need a person, each once; or else the cards of other troubles. A warning ends by itself, or can wait.
 */
export function neededOf({
  payments,
  items,
}: Pick<Attention, 'payments'> & { readonly items: readonly AttentionItem[] }): Needed | null {
  if (payments.count > 0)
    return {
      shown: `${count(payments.count)}${payments.isMore ? '+' : ''}`,
      what: needWords(payments.count, 'payment'),
    };
  const { length: things } = cardsOf(items).filter(({ severity }) => severity === 'bad');
  return things === 0 ? null : { shown: String(things), what: needWords(things, 'thing') };
}

function needWords(number: number, one: string): string {
  return number === 1 ? `${one} needs a person` : `${one}s need a person`;
}
