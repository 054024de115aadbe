import { Logger } from '@nestjs/common';

import { isRecord } from '../../../domain/payment/reading.ts';
import { isTooManyRequests } from '../../../domain/rate-limit/rate-limit-transitions.ts';
import type { ProviderMeter } from '../../../ports/meter.ts';
import { ProviderCredentials, ProviderUnavailable } from '../../../ports/payment-provider.ts';
import type { ProviderRateLimit } from '../../../ports/provider-rate-limit.ts';
import type { RelayAnswer, RelayApi } from '../relay-api.ts';
import { parseChangedRequest, type RelayHint } from '../notices/relay-hint.ts';
import { parseRelayRequest } from '../status/relay-request.ts';
import { hasDeposit } from '../status/request-phase.ts';
import type { PaidRequest } from './unknown-requests.ts';

/** A page of Relay's list of changed requests, or the reason why there is none. */
export type ReconcilePage =
  | {
      readonly kind: 'page';
      readonly hints: readonly RelayHint[];
      /** The requests that have a deposit, without successors of other requests. */
      readonly paid: readonly PaidRequest[];
      readonly continuation: string | null;
    }
  /** Relay refuses to list changed requests. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The rate limit is used up, or Relay fails: retry after `waitMs`. */
  | { readonly kind: 'later'; readonly waitMs: number };

const CALLER = 'reconciler';
/** The largest page that Relay returns. */
const PAGE_SIZE = 50;
/** A request that needs the key too, but has only documented parameters. */
const KEY_CHECK_PATH = '/requests/v3?limit=1';
const MAX_PAGE_BYTES = 4 * 1024 * 1024;
const AFTER_FAILURE_MS = 4_000;
/** How many refusals in a row open the circuit, as for polls: a single one may be Relay's own error. */
const LOCKED_OUT_AFTER = 3;
const MAX_REASON_LENGTH = 200;
/** `startTimestamp` is in whole seconds. */
const SECOND_MS = 1_000;

/**
 * Reads Relay's list of changed requests, each page within the shared rate limit, and updates limit and circuit by the
 * answers.
 */
export class ChangedRequests {
  private readonly log = new Logger('Relay');
  private refusals = 0;
  /** True once Relay has accepted our key for the check after refusing it for the list. */
  private isKeyGood = false;

  constructor(
    private readonly api: RelayApi,
    private readonly rateLimit: ProviderRateLimit,
    private readonly meter: ProviderMeter,
    private readonly apiKey: string,
  ) {}

  /** True while it is not known whether Relay accepts our key. */
  get isInDoubt(): boolean {
    return this.refusals > 0 || this.isKeyGood;
  }

  /** Reads a page of the requests that were quoted with our key and changed after `since`, oldest first, by Relay's clock. */
  async read(since: Date, continuation: string | null): Promise<ReconcilePage> {
    const permit = await this.takePermit();
    if ('kind' in permit) return permit;
    const { isProbe } = permit;
    // Relay may refuse our key for this list only: a plain request checks the key before the circuit opens for all.
    const isCheck = this.refusals > 0;
    const path = isCheck ? KEY_CHECK_PATH : pathOf(this.apiKey, since, continuation);
    const startedAt = performance.now();
    const answer = await this.api.get(path, MAX_PAGE_BYTES);
    this.meter.requested(performance.now() - startedAt);
    if (answer.kind === 'credentials' && this.isKeyGood && !isProbe) {
      this.isKeyGood = false;
      return { kind: 'refused', reason: 'our key may not ask for it' };
    }
    await this.updateRateLimit(answer, isProbe);
    if (isCheck) {
      this.isKeyGood = this.refusals === 0;
      return { kind: 'later', waitMs: AFTER_FAILURE_MS };
    }
    return this.pageOf(answer, since);
  }

  /**
   * Takes a permit before polls, like an API client: one page shows the changes of many polls, which use all spare permits.
   */
  private async takePermit(): Promise<
    { readonly isProbe: boolean } | Extract<ReconcilePage, { kind: 'later' }>
  > {
    try {
      return await this.rateLimit.takeOne(CALLER);
    } catch (error) {
      if (error instanceof ProviderUnavailable)
        return { kind: 'later', waitMs: error.retryAfterMs ?? AFTER_FAILURE_MS };
      if (error instanceof ProviderCredentials) return { kind: 'later', waitMs: AFTER_FAILURE_MS };
      throw error;
    }
  }

  private pageOf(answer: RelayAnswer, since: Date): ReconcilePage {
    if (answer.kind === 'credentials') return { kind: 'later', waitMs: AFTER_FAILURE_MS };
    if (answer.kind !== 'unavailable') this.isKeyGood = false;
    if (answer.kind === 'json') return parsePage(answer.value, since);
    if (answer.kind === 'error') {
      const words = answer.message.slice(0, MAX_REASON_LENGTH);
      return { kind: 'refused', reason: `status ${answer.httpStatus} ${answer.code ?? ''} ${words}` };
    }
    this.log.debug(`Relay did not list the changed requests: ${answer.reason}`);
    return { kind: 'later', waitMs: AFTER_FAILURE_MS };
  }

  /** While no payment is open, these are the only requests to Relay, so they find out whether our key is accepted. */
  private async updateRateLimit(answer: RelayAnswer, isProbe: boolean): Promise<void> {
    if (answer.kind === 'credentials') {
      this.refusals += 1;
      if (isProbe || this.refusals >= LOCKED_OUT_AFTER)
        await this.rateLimit.openCircuit('credentials', isProbe);
      return;
    }
    const isOverload = answer.kind === 'unavailable' && isTooManyRequests(answer.httpStatus);
    if (answer.kind !== 'unavailable' || isOverload) {
      this.refusals = 0;
      if (isProbe) await this.rateLimit.closeCircuit();
      if (isOverload) await this.rateLimit.throttle(answer.retryAfterMs);
      return;
    }
    if (isProbe) await this.rateLimit.openCircuit('open', true);
  }
}

function pathOf(apiKey: string, since: Date, continuation: string | null): string {
  const query = new URLSearchParams({
    apiKey,
    sortBy: 'updatedAt',
    // The ascending order moves a request that changes meanwhile to a later page, so that no page is read again.
    sortDirection: 'asc',
    startTimestamp: String(Math.floor(since.getTime() / 1_000)),
    limit: String(PAGE_SIZE),
  });
  if (continuation !== null) query.set('continuation', continuation);
  return `/requests/v3?${query.toString()}`;
}

function parsePage(value: unknown, since: Date): ReconcilePage {
  if (!isRecord(value) || !Array.isArray(value['requests']))
    return { kind: 'refused', reason: 'the answer holds no requests' };
  const hints = value['requests'].slice(0, PAGE_SIZE).flatMap((each) => parseChangedRequest(each) ?? []);
  // If Relay ignores `startTimestamp`, reading its whole history would use up the requests that polling needs.
  const fromMs = since.getTime() - SECOND_MS;
  const isOld = ({ updatedAt }: RelayHint): boolean => updatedAt !== null && updatedAt.getTime() < fromMs;
  if (hints.length > 0 && hints.every(isOld))
    return { kind: 'refused', reason: 'it lists what changed before as well' };
  const { continuation } = value;
  return {
    kind: 'page',
    hints,
    paid: paidAmong(value['requests'].slice(0, PAGE_SIZE)),
    continuation: typeof continuation === 'string' && continuation !== '' ? continuation : null,
  };
}

/** A successor may have another address: a quote names the first request. */
function paidAmong(rows: readonly unknown[]): PaidRequest[] {
  const requests = rows.flatMap((row) => parseRelayRequest(row) ?? []);
  const successors = new Set(requests.map(({ supersededBy }) => supersededBy));
  return requests.flatMap((request) => {
    const { id, depositAddress } = request;
    if (depositAddress === null || successors.has(id) || !hasDeposit(request)) return [];
    return [{ requestId: id, address: depositAddress.address }];
  });
}
