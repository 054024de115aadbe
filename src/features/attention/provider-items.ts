import { sayShortBudget, type ShortBudget } from '../../domain/polling/short-budget.ts';
import { URGENCY } from '../../domain/polling/urgency.ts';
import { providerName } from '../../domain/story/provider-name.ts';
import { pausedForMs, rateOf } from '../../domain/rate-limit/rate-limit.ts';
import type { ProviderLimits } from '../../ports/payment-provider.ts';
import type { Capacity } from '../../ports/provider-view.ts';
import type { ProviderCell } from '../../ports/provider-cell.ts';
import {
  type ProviderRateLimit,
  type RateLimitState,
  readShortBudget,
} from '../../ports/provider-rate-limit.ts';
import { type SeenReplica, troubleSeen, viewOf } from '../../ports/replicas.ts';
import type { RecentlyUnanswered } from '../../ports/unanswered-quotes.ts';
import { type AttentionItem, type Code, counted, itemOf, verb } from './attention-item.ts';

/** A provider, from the database's view. */
export interface SeenProvider {
  readonly name: string;
  readonly limits: ProviderLimits;
  readonly state: RateLimitState;
  /** Its open payments, if it fails or has asked for a pause; null: neither. */
  readonly waiting: number | null;
  /** When its circuit changed last. */
  readonly since: Date | null;
  /** The most used of the provider's own limits. */
  readonly capacity: Capacity | null;
  /** Null: the request budget suffices. */
  readonly short: ShortBudget | null;
}

/** From this share of a capacity on, a person should know. */
const NEARLY_USED = 0.8;

interface Trouble {
  readonly code: Code;
  readonly detail: string;
  readonly since?: Date | null;
  /** Left out if there is one provider. */
  readonly href?: string;
}

/** Reads one provider. */
export async function seenProvider({ provider, rateLimit }: ProviderCell): Promise<SeenProvider> {
  const [state, since, capacity] = await Promise.all([
    rateLimit.state(),
    rateLimit.circuitSince(),
    provider.capacity(),
  ]);
  const waiting =
    pausedForMs(state.rateLimit, state.nowMs) > 0 || state.rateLimit.circuit === 'open'
      ? await openPayments(rateLimit)
      : null;
  const { name, limits } = provider;
  const short = await readShortBudget(rateLimit, state, limits);
  return { name, limits, state, waiting, since, capacity, short };
}

/** Leaves out the late watch, whose payments have ended. */
async function openPayments(rateLimit: ProviderRateLimit): Promise<number> {
  const demand = await rateLimit.demand('page');
  return demand
    .filter(({ urgency }) => urgency !== URGENCY.watching)
    .reduce((sum, { payments }) => sum + payments, 0);
}

/** One item for each code, about all providers with the trouble; if there are several providers, they are named. */
export function providerItems(
  providers: readonly SeenProvider[],
  replicas: readonly SeenReplica[],
): AttentionItem[] {
  const alive = replicas.filter(({ isAlive }) => isAlive);
  const isOnly = providers.length === 1;
  const troubles = providers.flatMap((seen) =>
    troublesOf(seen, alive, isOnly ? 'the provider' : `the provider ${providerName(seen.name)}`).map(
      (trouble) => ({
        ...trouble,
        ...(isOnly ? {} : { href: `/api/provider?name=${seen.name}` }),
      }),
    ),
  );
  const codes = [...new Set(troubles.map(({ code }) => code))];
  return codes.map((code) =>
    itemAbout(
      code,
      troubles.filter((trouble) => trouble.code === code),
    ),
  );
}

function itemAbout(code: Code, troubles: readonly Trouble[]): AttentionItem {
  const [first] = troubles;
  const href = troubles.length > 1 ? '/api/providers' : first?.href;
  const times = troubles.flatMap(({ since }) => since?.getTime() ?? []);
  return itemOf(code, {
    ...(href === undefined ? {} : { href }),
    count: troubles.length,
    since: times.length === 0 ? null : new Date(Math.min(...times)),
    detail: troubles.map(({ detail }) => `${detail.slice(0, 1).toUpperCase()}${detail.slice(1)}`).join(' '),
  });
}

function troublesOf(seen: SeenProvider, alive: readonly SeenReplica[], who: string): Trouble[] {
  const { name, limits, state, waiting, capacity } = seen;
  const views = alive.map((replica) => viewOf(replica, name));
  const troubles = failuresOf(seen, alive, who);
  if (waiting !== null && waiting > 0 && pausedForMs(state.rateLimit, state.nowMs) > 0)
    troubles.push({ code: 'provider_paused', detail: sayPause(who, state, waiting) });
  const slowMs = Math.max(0, ...views.map((view) => view.slowMs ?? 0));
  if (slowMs > 0) troubles.push(slow(who, slowMs, limits));
  if (capacity !== null && capacity.used >= capacity.limit * NEARLY_USED)
    troubles.push({ code: 'provider_capacity', detail: sayCapacity(who, capacity) });
  return [...troubles, ...budgetTroubles(who, seen)];
}

/** Returns at most one trouble, so that each failing provider counts once. */
function failuresOf(
  { name, state: { rateLimit }, since, waiting }: SeenProvider,
  alive: readonly SeenReplica[],
  who: string,
): Trouble[] {
  const { circuit } = rateLimit;
  const waits = waiting === null || waiting === 0 ? '' : `, and ${openWords(waiting)}`;
  const isKeyRefused = alive.some((replica) => viewOf(replica, name).isKeyRefused);
  if (circuit === 'open')
    return [
      {
        code: 'provider_circuit_open',
        since,
        detail: `${who} fails: until it answers, only probes are sent${waits}.`,
      },
    ];
  if (circuit === 'credentials' || isKeyRefused) {
    const detail = `${who} does not accept our key: check its API key in the settings.`;
    return [{ code: 'provider_key_refused', since: circuit === 'credentials' ? since : null, detail }];
  }
  const trouble = troubleSeen(alive, name);
  return trouble === null ? [] : [{ code: 'provider_lists_unread', detail: `${who}: ${trouble}.` }];
}

function openWords(waiting: number): string {
  return waiting === 1 ? '1 open payment waits' : `${waiting} open payments wait`;
}

function sayPause(who: string, { rateLimit }: RateLimitState, waiting: number): string {
  const until = new Date(rateLimit.pausedUntil).toISOString();
  const payments = openWords(waiting);
  return `${who} has asked for no requests until ${until}: ${payments}.`;
}

function sayCapacity(who: string, { of, used, limit }: Capacity): string {
  return `${who} has ${used} of ${limit} ${of}: with ${limit} it makes no such quote until one is over.`;
}

function slow(who: string, slowMs: number, { timeoutMs }: ProviderLimits): Trouble {
  const detail = `${who} takes ${inSeconds(slowMs)} to answer: a request that takes ${inSeconds(timeoutMs)} is given up.`;
  return { code: 'provider_slow', detail };
}

function inSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function budgetTroubles(who: string, { state, limits, short }: SeenProvider): Trouble[] {
  const { rateLimit, nowMs } = state;
  const troubles: Trouble[] = [];
  const { slowed } = rateLimit;
  const usual = rateOf({ ...rateLimit, slowed: null }, nowMs, limits);
  if (slowed !== null && rateOf(rateLimit, nowMs, limits) < usual)
    troubles.push({
      code: 'provider_slowed',
      since: new Date(slowed.at),
      detail: `${who} has asked for fewer requests, and payments are polled more slowly.`,
    });
  if (short !== null) troubles.push({ code: 'budget_short', detail: `${who}: ${sayShortBudget(short)}.` });
  return troubles;
}

/** Counts only requests for quotes of the last day: operators know older ones. */
export function quoteItems({ providers, unfit, ...upTo }: RecentlyUnanswered): AttentionItem[] {
  if (upTo.count === 0) return [];
  const names = providers.map(({ provider, count }) =>
    providers.length === 1 ? providerName(provider) : `${providerName(provider)} ${count}`,
  );
  const detail = `${counted(upTo, 'request')} for ${verb(upTo.count, 'a quote', 'quotes')} of the last day got ${answerOf(upTo.count, unfit)} from ${names.join(', ')}: each may have opened a deposit address that no payer was shown.`;
  const since = upTo.since === null ? '' : `&requestedAfter=${upTo.since.toISOString()}`;
  const href = `/api/unanswered-quotes?tracked=false${since}`;
  return [itemOf('quotes_unanswered', { ...upTo, href, detail })];
}

function answerOf(count: number, unfit: number): string {
  if (unfit === 0) return 'no answer';
  return unfit >= count ? 'a quote that does not fit' : `no answer, or a quote that does not fit (${unfit}),`;
}
