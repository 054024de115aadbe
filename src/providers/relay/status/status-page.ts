import { isRecord } from '../../../domain/payment/reading.ts';
import type { StatusAnswer } from '../../../ports/payment-provider.ts';
import type { RelayAnswer } from '../relay-api.ts';
import { readRelayRequest, type RelayRequest } from './relay-request.ts';

/** Why nothing is known of a payment. */
export type Silence = Extract<StatusAnswer, { kind: 'unavailable' | 'credentials' }>;

/** One answer of `/requests/v3`. */
export interface StatusPage {
  readonly kind: 'page';
  readonly rows: readonly RelayRequest[];
  /** True when a row could not be read: whose it is, nobody knows. */
  readonly isUnclear: boolean;
  /** Where the next page begins; null after the last one. */
  readonly continuation: string | null;
}

/** The most that Relay puts into a page. */
const PAGE_SIZE = 50;
const MAX_CONTINUATION_LENGTH = 2_000;

/** How a question names what it is about: in a list, in a group for each (groups are joined by OR), or one alone. */
export type StatusForm = 'list' | 'groups' | 'single';

/** Requests by their deposit addresses, or by their ids. */
export interface Wanted {
  readonly by: 'depositAddress' | 'id';
  readonly values: readonly string[];
}

export interface StatusQuestion {
  readonly wanted: Wanted;
  /** Leaves others out, but for a `single` question; null: all. */
  readonly statuses: readonly string[] | null;
  readonly continuation: string | null;
  readonly form: StatusForm;
}

/** The question for what Relay has on these, what was changed last first. */
export function statusPath({ wanted, statuses, continuation, form }: StatusQuestion): string {
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

export function readStatusPage(answer: RelayAnswer): StatusPage | Silence {
  if (answer.kind === 'credentials') return { kind: 'credentials' };
  if (answer.kind === 'unavailable') {
    const { reason, retryAfterMs, httpStatus } = answer;
    return { kind: 'unavailable', reason, retryAfterMs, httpStatus };
  }
  // The question is the same for every payment: what Relay has against it is no word about any of them.
  if (answer.kind === 'error') return unavailable(`status ${answer.httpStatus}`, answer.httpStatus);
  if (!isRecord(answer.value) || !Array.isArray(answer.value['requests'])) return unreadable();
  const published: readonly unknown[] = answer.value['requests'];
  const rows = published.slice(0, PAGE_SIZE).flatMap((row) => readRelayRequest(row) ?? []);
  const isCutOff = published.length > PAGE_SIZE;
  return {
    kind: 'page',
    rows,
    isUnclear: isCutOff || rows.length < published.length,
    // A page that is not full may have a next one all the same: only an empty one is certainly the last.
    continuation: published.length === 0 ? null : readContinuation(answer.value['continuation']),
  };
}

export function unavailable(reason: string, httpStatus: number | null): Silence {
  return { kind: 'unavailable', reason, retryAfterMs: null, httpStatus };
}

export function unreadable(): Silence {
  return unavailable('unreadable answer', 200);
}

function readContinuation(value: unknown): string | null {
  const isUsable = typeof value === 'string' && value !== '' && value.length <= MAX_CONTINUATION_LENGTH;
  return isUsable ? value : null;
}
