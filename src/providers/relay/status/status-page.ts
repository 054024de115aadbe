import { isRecord } from '../../../domain/payment/reading.ts';
import type { StatusAnswer } from '../../../ports/payment-provider.ts';
import type { RelayAnswer } from '../relay-api.ts';
import { parseRelayRequest, type RelayRequest } from './relay-request.ts';

/** Why the status of a payment is unknown. */
export type NoAnswer = Extract<StatusAnswer, { kind: 'unavailable' | 'credentials' }>;

/** One page of `/requests/v3`. */
export interface StatusPage {
  readonly kind: 'page';
  readonly rows: readonly RelayRequest[];
  /** True when a row was unreadable: it may belong to any quote. */
  readonly isUnclear: boolean;
  /** Where the next page begins; null after the last one. */
  readonly continuation: string | null;
}

/** The largest page that Relay returns. */
const PAGE_SIZE = 50;
const MAX_CONTINUATION_LENGTH = 2_000;

/**
 * How a query names its addresses or ids: all in one list, each in a filter group (groups are joined by OR), or a single one.
 */
export type StatusForm = 'list' | 'groups' | 'single';

/** The requests to query, by their deposit addresses or by their ids. */
export interface Wanted {
  readonly by: 'depositAddress' | 'id';
  readonly values: readonly string[];
}

export interface StatusQuery {
  readonly wanted: Wanted;
  /** Filters by status, except in the form `single`; null: all statuses. */
  readonly statuses: readonly string[] | null;
  readonly continuation: string | null;
  readonly form: StatusForm;
}

/** The path of a query; Relay returns the requests that changed last first. */
export function statusPath({ wanted, statuses, continuation, form }: StatusQuery): string {
  const query = new URLSearchParams({
    ...(form === 'single'
      ? { [wanted.by]: wanted.values[0] ?? '' }
      : { filters: filtersOf(wanted, statuses, form) }),
    sortBy: 'updatedAt',
    sortDirection: 'desc',
    limit: String(PAGE_SIZE),
    ...(continuation === null ? {} : { continuation }),
  });
  return `/requests/v3?${query.toString()}`;
}

function filtersOf({ by, values }: Wanted, statuses: readonly string[] | null, form: StatusForm): string {
  const status = statuses === null ? {} : { status: statuses };
  if (form === 'list') return JSON.stringify([{ [by]: values, ...status }]);
  return JSON.stringify(values.map((value) => ({ [by]: value, ...status })));
}

export function parseStatusPage(answer: RelayAnswer): StatusPage | NoAnswer {
  if (answer.kind === 'credentials') return { kind: 'credentials' };
  if (answer.kind === 'unavailable') {
    const { reason, retryAfterMs, httpStatus } = answer;
    return { kind: 'unavailable', reason, retryAfterMs, httpStatus };
  }
  // The query is about many payments, so that its error says nothing about a single one.
  if (answer.kind === 'error') return unavailable(`status ${answer.httpStatus}`, answer.httpStatus);
  if (!isRecord(answer.value) || !Array.isArray(answer.value['requests'])) return unreadable();
  const items: readonly unknown[] = answer.value['requests'];
  const rows = items.slice(0, PAGE_SIZE).flatMap((row) => parseRelayRequest(row) ?? []);
  const isCutOff = items.length > PAGE_SIZE;
  return {
    kind: 'page',
    rows,
    isUnclear: isCutOff || rows.length < items.length,
    // A page that is not full may still have a next one: only an empty page is certainly the last.
    continuation: items.length === 0 ? null : parseContinuation(answer.value['continuation']),
  };
}

export function unavailable(reason: string, httpStatus: number | null): NoAnswer {
  return { kind: 'unavailable', reason, retryAfterMs: null, httpStatus };
}

export function unreadable(): NoAnswer {
  return unavailable('unreadable answer', 200);
}

function parseContinuation(value: unknown): string | null {
  const isUsable = typeof value === 'string' && value !== '' && value.length <= MAX_CONTINUATION_LENGTH;
  return isUsable ? value : null;
}
