import { matchOf } from '../deposit-match.ts';
import type { RelayQuote } from '../quote/relay-quote.ts';
import type { RelayRequest } from './relay-request.ts';
import { hasDeposit, phaseOf } from './request-phase.ts';

/** Of all that Relay has on a quote's address: the request that tells how the payment stands, and what came besides. */
export interface LiveRequest {
  readonly request: RelayRequest | null;
  /** What else was delivered, the oldest first. */
  readonly further: readonly RelayRequest[];
}

/** What Relay sends back because the payment was there already, or belonged to none. */
const STRAY_REASONS = new Set(['DOUBLE_SPEND', 'ORPHANED_DEPOSIT_REFUND']);

/** The same whatever the order of the requests. Each row must be of this quote's address. */
export function liveRequest(quote: RelayQuote, requests: readonly RelayRequest[]): LiveRequest {
  const all = inOrder(requests);
  const chain = followSuccessors(quote.requestId, all);
  const head = chain.at(-1) ?? null;
  const successes = all.filter((request) => phaseOf(request) === 'completed');
  if (successes.length > 0) {
    const request = paidOne(quote, successes, head);
    return { request, further: successes.filter((other) => other.id !== request?.id) };
  }
  return { request: unfinishedOne(all, chain, head), further: [] };
}

/** Each request once, as it was last changed; the oldest first. */
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

/** The original request and its successors, in turn; a circle ends where it would begin again. */
function followSuccessors(requestId: string, all: readonly RelayRequest[]): RelayRequest[] {
  const byId = new Map(all.map((request) => [request.id, request]));
  const chain = new Map<string, RelayRequest>();
  let current = byId.get(requestId);
  while (current !== undefined && !chain.has(current.id)) {
    const successor: RelayRequest | undefined = byId.get(current.supersededBy ?? '');
    const isContinuedUnseen = current.supersededBy !== null && successor === undefined;
    chain.set(current.id, isContinuedUnseen ? continued(current) : current);
    current = successor;
  }
  return [...chain.values()];
}

/** The end of a request that another one continues is not the payment's, even while that other one is not in sight. */
function continued(request: RelayRequest): RelayRequest {
  if (!isEnded(request) || phaseOf(request) === 'completed') return request;
  const status = hasDeposit(request) ? 'pending' : 'waiting';
  return { ...request, status, failReason: null, refundFailReason: null, outTxs: [] };
}

/** Crumbs that were delivered on an open address must not stand for the payment once it is there in full. */
function paidOne(
  quote: RelayQuote,
  successes: readonly RelayRequest[],
  head: RelayRequest | null,
): RelayRequest | null {
  const published = successes.map((request) => ({ request, match: matchOf(quote, request.deposited) }));
  const full = published.filter(({ match }) => match === 'exact' || match === 'overpaid');
  const fair = full.length > 0 ? full : published.filter(({ match }) => match !== 'underpaid');
  const best = (fair.length > 0 ? fair : published).map(({ request }) => request);
  return best.find(({ id }) => id === head?.id) ?? best[0] ?? null;
}

function unfinishedOne(
  all: readonly RelayRequest[],
  chain: readonly RelayRequest[],
  head: RelayRequest | null,
): RelayRequest | null {
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

function isEnded(request: RelayRequest): boolean {
  const phase = phaseOf(request);
  return phase === 'completed' || phase === 'refunded' || phase === 'failed';
}

function isStray(request: RelayRequest): boolean {
  return isEnded(request) && STRAY_REASONS.has(request.failReason?.toUpperCase() ?? '');
}

function timeOf(instant: Date | null): number {
  return instant?.getTime() ?? 0;
}
