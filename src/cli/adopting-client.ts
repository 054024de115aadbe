import { setTimeout as sleep } from 'node:timers/promises';

import { isRecord } from '../domain/payment/reading.ts';
import type { NamedPayment } from './payment-lines.ts';

/** What became of a payment that was handed over. */
export type Adopted =
  | { readonly kind: 'found' | 'known' | 'unknown' | 'removed' }
  | { readonly kind: 'failed'; readonly reason: string };

/** The service can't be reached, or is another one: no other payment would fare better. */
export class ServiceAway extends Error {}

/** As long as the provider is away or its budget is used up, so long is a payment tried. */
const BUSY_UP_TO_MS = 15 * 60_000;
const AWAY_UP_TO_MS = 30_000;
/** Each replica reads a new key within a second or two. */
const NEW_KEY_UP_TO_MS = 10_000;
const PAUSE_MS = 1_000;
const PAUSE_UP_TO_MS = 60_000;
const TIMEOUT_MS = 60_000;
const BUSY = new Set([429, 503]);

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly retryAfterMs: number;
}

/** Hands payments over to a running Paybell, which asks the provider within its limits; waits when it says so. */
export class AdoptingClient {
  constructor(
    private readonly url: string,
    private readonly key: string,
    private readonly signal: AbortSignal,
  ) {}

  /** Throws ServiceAway, and AbortError once the signal is aborted. */
  async adopt(payment: NamedPayment): Promise<Adopted> {
    const startedAt = performance.now();
    for (;;) {
      const answer = await this.post(bodyOf(payment));
      const outcome = outcomeOf(answer, payment);
      if (outcome !== null) return outcome;
      const { status, retryAfterMs } = answer;
      const waitedMs = performance.now() - startedAt;
      if (!BUSY.has(status) && waitedMs > NEW_KEY_UP_TO_MS)
        throw new ServiceAway(
          `The Paybell at ${this.url} does not use this database: it refuses a key of it.`,
        );
      if (waitedMs > BUSY_UP_TO_MS) return { kind: 'failed', reason: reasonOf(answer) };
      await sleep(retryAfterMs, undefined, { signal: this.signal });
    }
  }

  private async post(body: string): Promise<Answer> {
    const startedAt = performance.now();
    const headers = { 'content-type': 'application/json', 'x-api-key': this.key };
    for (;;) {
      const signal = AbortSignal.any([this.signal, AbortSignal.timeout(TIMEOUT_MS)]);
      try {
        return await answerOf(
          // A redirect would take the key elsewhere.
          await fetch(`${this.url}/api/payments`, {
            method: 'POST',
            headers,
            body,
            signal,
            redirect: 'error',
          }),
        );
      } catch (error) {
        this.signal.throwIfAborted();
        if (performance.now() - startedAt > AWAY_UP_TO_MS)
          throw new ServiceAway(`Paybell does not answer at ${this.url}.`, { cause: error });
      }
      await sleep(PAUSE_MS, undefined, { signal: this.signal });
    }
  }
}

/** The quote as it stands in the file: parsing it could drop digits. */
function bodyOf({ quoteId, orderId, metadata, quoteText }: NamedPayment): string {
  const body = JSON.stringify({ quoteId, orderId, metadata });
  return quoteText === null ? body : `${body.slice(0, -1)},"quote":${quoteText}}`;
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const askedMs = Number.isFinite(seconds) ? seconds * 1_000 : PAUSE_MS;
  const retryAfterMs = Math.min(Math.max(askedMs, PAUSE_MS), PAUSE_UP_TO_MS);
  return { status: response.status, body: objectOf(text), retryAfterMs };
}

function objectOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** Null where it is to be tried again. */
function outcomeOf(answer: Answer, { quoteId }: NamedPayment): Adopted | null {
  const { status, body } = answer;
  if ((status === 201 || status === 200) && body['quoteId'] === quoteId)
    return { kind: status === 201 ? 'found' : 'known' };
  if (body['code'] === 'unknown_payment') return { kind: 'unknown' };
  if (body['code'] === 'payment_removed') return { kind: 'removed' };
  return BUSY.has(status) || status === 401 ? null : { kind: 'failed', reason: reasonOf(answer) };
}

function reasonOf({ status, body }: Answer): string {
  const errors = Array.isArray(body['errors']) ? body['errors'].filter(isRecord) : [];
  const fields = errors.map(({ field, message }) => `${String(field)} ${String(message)}`).join('; ');
  const detail = typeof body['detail'] === 'string' ? body['detail'] : 'no answer of Paybell';
  return `${status} ${fields === '' ? detail : fields}`;
}
