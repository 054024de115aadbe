import { matchOf } from './deposit-match.ts';
import type { RelayQuote } from '../quote/relay-quote.ts';
import type { RelayRequest } from './relay-request.ts';
import { hasDeposit, phaseOf } from './request-phase.ts';
import { onRoute, type RoutedRequest } from './routed-request.ts';

/** The request on a quote's address that decides the payment's status, and further delivered requests. */
export interface LiveRequest {
  readonly request: RoutedRequest | null;
  /** The other requests that were delivered, oldest first. */
  readonly further: readonly RoutedRequest[];
}

/** Reasons of refunds for deposits made after the payment, or belonging to no payment. */
const STRAY_REASONS = new Set(['DOUBLE_SPEND', 'ORPHANED_DEPOSIT_REFUND']);

/**
 * Picks the request that decides the status; the result does not depend on the order of `requests`. All must be of this
 * quote's address.
 */
export function liveRequest(quote: RelayQuote, requests: readonly RelayRequest[]): LiveRequest {
  const all = inOrder(requests).map((request) => onRoute(quote, request));
  const chain = followSuccessors(quote.requestId, all);
  const head = chain.at(-1) ?? null;
  const successes = all.filter((request) => phaseOf(request) === 'completed');
  if (successes.length > 0) {
    const request = paidOne(quote, successes, head);
    return { request, further: successes.filter((other) => other.id !== request?.id) };
  }
  return { request: unfinishedOne(all, chain, head), further: [] };
}

/** Removes duplicates, keeps the latest version of each request, and sorts by creation, oldest first. */
function inOrder(requests: readonly RelayRequest[]): RelayRequest[] {
  const newest = new Map<string, RelayRequest>();
  for (const request of requests) {
    const known = newest.get(request.id);
    if (known === undefined || timeOf(request.updatedAt) > timeOf(known.updatedAt)) {
      newest.set(request.id, request);
    }
  }
  return [...newest.values()].sort(
    (a, b) => timeOf(a.createdAt) - timeOf(b.createdAt) || (a.id < b.id ? -1 : 1),
  );
}

/** The original request followed by its successors; stops at a cycle. */
function followSuccessors(requestId: string, all: readonly RoutedRequest[]): RoutedRequest[] {
  const byId = new Map(all.map((request) => [request.id, request]));
  const chain = new Map<string, RoutedRequest>();
  let current = byId.get(requestId);
  while (current !== undefined && !chain.has(current.id)) {
    const successor: RoutedRequest | undefined = byId.get(current.supersededBy ?? '');
    const isContinuedUnseen = current.supersededBy !== null && successor === undefined;
    chain.set(current.id, isContinuedUnseen ? continued(current) : current);
    current = successor;
  }
  return [...chain.values()];
}

/**
 * A successor continues the request, which therefore does not end the payment: it counts as open even while the successor is
 * unseen.
 */
function continued(request: RoutedRequest): RoutedRequest {
  if (!isEnded(request) || phaseOf(request) === 'completed') return request;
  const status = hasDeposit(request) ? 'pending' : 'waiting';
  return { ...request, status, failReason: null, refundFailReason: null, outTxs: [], fills: [] };
}

/** Prefers a full deposit to a partial deposit: delivered dust on the open address must not count as the payment. */
function paidOne(
  quote: RelayQuote,
  successes: readonly RoutedRequest[],
  head: RoutedRequest | null,
): RoutedRequest | null {
  const matched = successes.map((request) => ({ request, match: matchOf(quote, request.deposited) }));
  const full = matched.filter(({ match }) => match === 'exact' || match === 'overpaid');
  const fair = full.length > 0 ? full : matched.filter(({ match }) => match !== 'underpaid');
  const best = (fair.length > 0 ? fair : matched).map(({ request }) => request);
  return best.find(({ id }) => id === head?.id) ?? best[0] ?? null;
}

function unfinishedOne(
  all: readonly RoutedRequest[],
  chain: readonly RoutedRequest[],
  head: RoutedRequest | null,
): RoutedRequest | null {
  const isOwn = head !== null && !isStray(head);
  if (isOwn && hasDeposit(head)) return head;
  const forerunner = chain.findLast(hasDeposit);
  if (isOwn && !isEnded(head) && forerunner !== undefined) return continued(forerunner);
  const members = new Set(chain.map(({ id }) => id));
  const paid = all.filter((request) => !members.has(request.id) && hasDeposit(request));
  const ended = paid.filter((request) => isEnded(request));
  return (
    paid.findLast((request) => !isEnded(request)) ??
    ended.findLast((request) => !isStray(request)) ??
    (isOwn && isEnded(head) ? head : ended.at(-1)) ??
    head
  );
}

function isEnded(request: RoutedRequest): boolean {
  const phase = phaseOf(request);
  return phase === 'completed' || phase === 'refunded' || phase === 'failed';
}

function isStray(request: RoutedRequest): boolean {
  return isEnded(request) && STRAY_REASONS.has(request.failReason?.toUpperCase() ?? '');
}

function timeOf(instant: Date | null): number {
  return instant?.getTime() ?? 0;
}
