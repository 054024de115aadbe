import type { Severity } from '../../domain/event/severity.ts';
import type { NamedPayment, TroubledEndpoint, PaymentSums, UpTo } from '../../ports/attention.ts';
import type { UntoldAt } from '../../ports/untold-payments.ts';

interface Kind {
  readonly severity: Severity;
  readonly href: string;
}

/** The codes of items, in the order of the answer: `bad` before `warn`. */
const KINDS = {
  database_failing: { severity: 'bad', href: '/health/ready' },
  no_receiver: { severity: 'bad', href: '/api/payments?attention=no_receiver' },
  broker_away: { severity: 'bad', href: '/api/destinations/rabbitmq' },
  broker_refuses: { severity: 'bad', href: '/api/destinations/rabbitmq' },
  undelivered: { severity: 'bad', href: '/api/payments?undelivered=true' },
  endpoints_disabled: { severity: 'bad', href: '/api/webhook-endpoints' },
  endpoints_failing: { severity: 'bad', href: '/api/webhook-endpoints' },
  endpoints_refusing: { severity: 'bad', href: '/api/destinations' },
  deliveries_failed: {
    severity: 'bad',
    href: '/api/webhook-deliveries?state=failed&resolved=false&destinations=existing',
  },
  order_paid_twice: { severity: 'bad', href: '/api/payments?attention=order_paid_twice' },
  payments_contradicted: { severity: 'bad', href: '/api/payments?attention=payments_contradicted' },
  deposits_unseen: { severity: 'bad', href: '/api/payments?attention=deposits_unseen' },
  payments_stalled: { severity: 'bad', href: '/api/payments?attention=payments_stalled' },
  payments_anomaly: { severity: 'bad', href: '/api/payments?attention=payments_anomaly' },
  payments_short: { severity: 'bad', href: '/api/payments?attention=payments_short' },
  payments_wrong_sum: { severity: 'bad', href: '/api/payments?attention=payments_wrong_sum' },
  events_unroutable: { severity: 'bad', href: '/api/destinations/rabbitmq' },
  secrets_unreadable: { severity: 'bad', href: '/api/webhook-endpoints' },
  provider_key_refused: { severity: 'bad', href: '/api/provider' },
  provider_circuit_open: { severity: 'bad', href: '/api/provider' },
  provider_lists_unread: { severity: 'bad', href: '/api/provider' },
  log_held: { severity: 'bad', href: '/api/events' },
  roles_missing: { severity: 'bad', href: '/api/attention' },
  settings_disagree: { severity: 'bad', href: '/health/ready' },
  rpc_disagrees: { severity: 'bad', href: '/api/payments' },
  payments_unverified: { severity: 'bad', href: '/api/payments?attention=payments_unverified' },
  rpc_stuck: { severity: 'warn', href: '/api/payments' },
  payments_late: { severity: 'warn', href: '/api/payments?attention=payments_late' },
  provider_slow: { severity: 'warn', href: '/api/provider' },
  provider_paused: { severity: 'warn', href: '/api/provider' },
  provider_slowed: { severity: 'warn', href: '/api/provider' },
  provider_capacity: { severity: 'warn', href: '/api/provider' },
  budget_short: { severity: 'warn', href: '/api/provider' },
  quotes_unanswered: { severity: 'warn', href: '/api/unanswered-quotes?tracked=false' },
  replicas_lost: { severity: 'warn', href: '/api/attention' },
} as const satisfies Readonly<Record<string, Kind>>;

export type Code = keyof typeof KINDS;
export const CODES = Object.keys(KINDS) as readonly Code[];

export interface AttentionItem extends UpTo, Kind {
  readonly code: Code;
  /** One plain sentence. */
  readonly detail: string;
  readonly endpoints: readonly TroubledEndpoint[];
  /** The first of the counted payments that stand in no other item. */
  readonly examples: readonly NamedPayment[];
  readonly payments?: PaymentSums;
  /** How many payments each destination was not told. */
  readonly destinations?: readonly UntoldAt[];
}

interface Facts {
  readonly href?: string;
  readonly count?: number;
  readonly isMore?: boolean;
  readonly since?: Date | null;
  readonly detail: string;
  readonly endpoints?: readonly TroubledEndpoint[];
  readonly examples?: readonly NamedPayment[];
  readonly payments?: PaymentSums;
  readonly destinations?: readonly UntoldAt[];
}

/** An item; without a count it is a state. */
export function itemOf(code: Code, facts: Facts): AttentionItem {
  return {
    code,
    ...KINDS[code],
    count: 1,
    isMore: false,
    since: null,
    endpoints: [],
    examples: [],
    ...facts,
  };
}

/** The path of the one destination that an item is about; for several destinations, that of the code stands. */
export function hrefOfOnly(ids: readonly (string | null)[], count: number): Pick<Facts, 'href'> {
  const [id] = ids;
  return count === 1 && typeof id === 'string' ? { href: `/api/destinations/${id}` } : {};
}

/** The severity of a code, which may come from another release. */
export function severityOf(code: string): Severity {
  return code in KINDS ? KINDS[code as Code].severity : 'warn';
}

/** `3 payments`, or `At least 10000 payments`. */
export function counted(
  { count, isMore = false }: { readonly count: number; readonly isMore?: boolean },
  one: string,
  several = `${one}s`,
): string {
  return `${isMore ? 'At least ' : ''}${count} ${verb(count, one, several)}`;
}

/** Chooses the singular or the plural for a number. */
export function verb(count: number, one: string, several: string): string {
  return count === 1 ? one : several;
}

export function byOrder(one: AttentionItem, other: AttentionItem): number {
  return CODES.indexOf(one.code) - CODES.indexOf(other.code);
}
