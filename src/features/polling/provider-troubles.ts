import { isTooManyRequests } from '../../domain/rate-limit/rate-limit-transitions.ts';
import {
  ProviderCredentials,
  ProviderMisconfigured,
  ProviderRefused,
  ProviderUnavailable,
  ProviderNotAsked,
  type StatusAnswer,
  PaymentProvider,
} from '../../ports/payment-provider.ts';
import { ProviderAtCapacity } from '../../ports/provider-at-capacity.ts';
import type { QuotingRequest } from '../../ports/readiness.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Refusal } from '../../ports/provider-view.ts';
import { Timers } from '../../ports/timers.ts';

/** How many failures in a row, of any kind of quoting request, degrade the health; before the first answer one is enough. */
const DEGRADED_AFTER = 2;
/** How many failures in a row of one kind degrade the health while requests of other kinds succeed. */
const ONE_KIND_AFTER = 3;
/** A failed request is forgotten after this time if no client repeats it. */
const TROUBLE_LASTS_MS = 300_000;

const WORDS: Readonly<Record<QuotingRequest, string>> = {
  chains: 'its list of chains cannot be read',
  quote: 'it makes no quotes',
  currencies: 'its tokens cannot be searched',
};
export const NO_KEY = 'it does not accept our key';
const NO_API = 'there is no payment API at its address';
const WHAT_TO_CHECK = 'check PROVIDER_BASE_URL (without /api)';

interface Trouble {
  readonly detail: string;
  /** True for a wrong key or address, which only an operator can correct. */
  readonly isLasting: boolean;
  readonly failures: number;
  readonly at: number;
}

/** Judges the health of the provider by its answers about chains, quotes and tokens to this process. */
export class QuotingHealth {
  private readonly troubles = new Map<QuotingRequest, Trouble>();
  private hasWorked = false;
  /** The failures since the last successful request of any kind. */
  private failures = 0;

  /** The current trouble, for an operator; null: none. */
  get trouble(): string | null {
    const now = performance.now();
    const known = [...this.troubles].filter(
      ([kind, { at }]) => kind === 'chains' || now - at < TROUBLE_LASTS_MS,
    );
    const isGeneral = this.failures >= (this.hasWorked ? DEGRADED_AFTER : 1);
    const bad = known
      .map(([, trouble]) => trouble)
      .filter(({ isLasting, failures }) => isLasting || isGeneral || failures >= ONE_KIND_AFTER);
    return (bad.find(({ isLasting }) => isLasting) ?? bad[0])?.detail ?? null;
  }

  record(request: QuotingRequest, failure: unknown): void {
    const trouble = troubleOf(request, failure);
    if (trouble === 'none') return this.recordSuccess(request);
    if (trouble === 'not the provider') return;
    this.failures += 1;
    const failures = (this.troubles.get(request)?.failures ?? 0) + 1;
    this.troubles.set(request, { ...trouble, failures, at: performance.now() });
  }

  /** Forgets refusals of our key: the provider accepts it again. */
  clearKeyTrouble(): void {
    for (const [request, { detail }] of this.troubles) if (detail === NO_KEY) this.troubles.delete(request);
  }

  /** Paybell retries the list of chains until it succeeds. Then the failures of other requests had the same cause. */
  private recordSuccess(request: QuotingRequest): void {
    const isListReadAgain = request === 'chains' && this.troubles.has('chains');
    if (isListReadAgain) this.troubles.clear();
    else this.troubles.delete(request);
    this.hasWorked = true;
    this.failures = 0;
  }
}

function troubleOf(
  request: QuotingRequest,
  failure: unknown,
): Pick<Trouble, 'detail' | 'isLasting'> | 'none' | 'not the provider' {
  if (failure instanceof ProviderCredentials) return { detail: NO_KEY, isLasting: true };
  if (failure instanceof ProviderMisconfigured)
    return { detail: `${NO_API}: ${WHAT_TO_CHECK}`, isLasting: true };
  if (failure instanceof ProviderAtCapacity) return 'none';
  if (failure instanceof ProviderUnavailable)
    return { detail: `${WORDS[request]}: ${failure.reason}`, isLasting: false };
  // A request for all chains has no input to refuse: a refusal is the provider's failure.
  if (failure instanceof ProviderRefused && request === 'chains')
    return { detail: `${WORDS.chains}: status ${failure.httpStatus}`, isLasting: false };
  return failure === null || failure instanceof ProviderRefused ? 'none' : 'not the provider';
}

const KEPT = 10;
const MAX_LENGTH = 300;
const TOO_MANY_REQUESTS = 429;
/** A URL, or an address of a private or local network, that the provider's message may contain. */
const ADDRESS =
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]+|\b(?:10|127|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2,3}(?::\d+)?\b/gi;

type What = Omit<Refusal, 'at' | 'asked'>;

/** The provider's last failed answers, for an operator. */
export class ProviderRefusals {
  private kept: readonly Refusal[] = [];

  constructor(private readonly clock: Clock) {}

  /** The newest last. */
  get all(): readonly Refusal[] {
    return this.kept;
  }

  noteAnswer(answer: StatusAnswer): void {
    if (answer.kind !== 'report') this.add('status', refusalOfAnswer(answer));
  }

  noteQuoting(request: QuotingRequest, failure: unknown): void {
    const refusal = refusalOfFailure(failure);
    if (refusal !== null) this.add(request, refusal);
  }

  private add(asked: Refusal['asked'], { kind, httpStatus, message }: What): void {
    const shown = message.replace(ADDRESS, '[address]').slice(0, MAX_LENGTH);
    const refusal: Refusal = { at: this.clock.now(), asked, kind, httpStatus, message: shown };
    this.kept = [...this.kept.slice(1 - KEPT), refusal];
  }
}

function refusalOfAnswer(answer: Exclude<StatusAnswer, { kind: 'report' }>): What {
  if (answer.kind === 'credentials') return { kind: 'credentials', httpStatus: null, message: NO_KEY };
  if (answer.kind === 'refused') return answer;
  const { httpStatus, reason: message } = answer;
  return { kind: isTooManyRequests(httpStatus) ? 'throttled' : 'unavailable', httpStatus, message };
}

/** Null: the provider was not asked, or is not the cause of the failure. */
function refusalOfFailure(failure: unknown): What | null {
  if (failure instanceof ProviderRefused)
    return { kind: 'refused', httpStatus: failure.httpStatus, message: failure.message };
  if (failure instanceof ProviderCredentials)
    return { kind: 'credentials', httpStatus: null, message: NO_KEY };
  if (failure instanceof ProviderMisconfigured)
    return { kind: 'misconfigured', httpStatus: 404, message: NO_API };
  if (failure instanceof ProviderAtCapacity)
    return { kind: 'refused', httpStatus: null, message: failure.reason };
  if (failure instanceof ProviderNotAsked || !(failure instanceof ProviderUnavailable)) return null;
  const { isTooMany, reason: message } = failure;
  if (!isTooMany) return { kind: 'unavailable', httpStatus: null, message };
  return { kind: 'throttled', httpStatus: TOO_MANY_REQUESTS, message };
}

/** The weight of the newest answer in the mean. */
const NEWEST = 0.1;
/** With fewer answers the mean is not meaningful. */
const FEWEST = 5;
/** After this time without an answer, earlier ones no longer count. */
const FORGOTTEN_AFTER_MS = 120_000;

/** How long the provider takes for its answers to this process. */
export class AnswerTimes {
  private meanMs = 0;
  private answers = 0;
  private lastAt = 0;

  constructor(
    private readonly provider: PaymentProvider,
    private readonly timers: Timers,
  ) {}

  noteAnswer(durationMs: number, nowMs: number): void {
    if (nowMs - this.lastAt > FORGOTTEN_AFTER_MS) this.answers = 0;
    this.meanMs = this.answers === 0 ? durationMs : this.meanMs + NEWEST * (durationMs - this.meanMs);
    this.answers += 1;
    this.lastAt = nowMs;
  }

  /** The recent mean, if it is above half the time limit; null: the provider is fast enough, or was not asked lately. */
  get slowMs(): number | null {
    const isKnown = this.answers >= FEWEST && this.timers.nowMs() - this.lastAt <= FORGOTTEN_AFTER_MS;
    return isKnown && this.meanMs > this.provider.limits.timeoutMs / 2 ? Math.round(this.meanMs) : null;
  }
}
