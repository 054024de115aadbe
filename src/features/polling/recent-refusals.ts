import type { Clock } from '../../ports/clock.ts';
import {
  ProviderCredentials,
  ProviderMisconfigured,
  ProviderNotAsked,
  ProviderRefused,
  ProviderUnavailable,
  type StatusAnswer,
} from '../../ports/payment-provider.ts';
import type { Refusal } from '../../ports/provider-view.ts';
import type { Lookup } from '../../ports/readiness.ts';

const KEPT = 10;
const MAX_LENGTH = 300;
const TOO_MANY_REQUESTS = 429;
const NO_KEY = 'it does not accept our key';
const NO_API = 'there is no payment API at its address';
/** A URL, or an address of a private or local network, that the provider's words may name. */
const ADDRESS =
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]+|\b(?:10|127|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2,3}(?::\d+)?\b/gi;

type What = Omit<Refusal, 'at' | 'asked'>;

/** The last answers of the provider that were none, for an operator. */
export class RecentRefusals {
  private kept: readonly Refusal[] = [];

  constructor(private readonly clock: Clock) {}

  /** The newest last. */
  get all(): readonly Refusal[] {
    return this.kept;
  }

  noteAnswer(answer: StatusAnswer): void {
    if (answer.kind !== 'report') this.add('status', refusalOfAnswer(answer));
  }

  noteLookup(lookup: Lookup, failure: unknown): void {
    const refusal = refusalOfFailure(failure);
    if (refusal !== null) this.add(lookup, refusal);
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
  return { kind: httpStatus === TOO_MANY_REQUESTS ? 'throttled' : 'unavailable', httpStatus, message };
}

/** Null: the provider was not asked, or it is not what failed. */
function refusalOfFailure(failure: unknown): What | null {
  if (failure instanceof ProviderRefused)
    return { kind: 'refused', httpStatus: failure.httpStatus, message: failure.message };
  if (failure instanceof ProviderCredentials)
    return { kind: 'credentials', httpStatus: null, message: NO_KEY };
  if (failure instanceof ProviderMisconfigured)
    return { kind: 'misconfigured', httpStatus: 404, message: NO_API };
  if (failure instanceof ProviderNotAsked || !(failure instanceof ProviderUnavailable)) return null;
  const { isTooMany, reason: message } = failure;
  if (!isTooMany) return { kind: 'unavailable', httpStatus: null, message };
  return { kind: 'throttled', httpStatus: TOO_MANY_REQUESTS, message };
}
