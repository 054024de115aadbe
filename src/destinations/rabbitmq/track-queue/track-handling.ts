import { setTimeout as pause } from 'node:timers/promises';

import type { ConsumeMessage } from 'amqplib';

import type { Meter } from '../../../ports/meter.ts';
import { rejectedQueueOf, type TrackOutcome, type TrackRequests } from '../../../ports/track-requests.ts';
import { Backoff } from '../backoff.ts';
import {
  attemptsBefore,
  deliveriesBefore,
  isUncounted,
  rejectedHeaders,
  returnedHeaders,
  type OwnHeaders,
} from './moved-message.ts';
import { RateLimitedWarning } from '../rate-limited-warning.ts';
import type { RabbitmqTiming } from '../rabbitmq-timing.ts';
import type { TrackChannel } from './track-channel.ts';

/** What fails in a way that nobody expects is rejected after so many tries. */
const MAX_ATTEMPTS = 3;
/** What ends the process each time it is tried is rejected then; what breaks with the connection counts as well. */
const MAX_DELIVERIES = 3;
/** A provider may ask for more, but the broker ends a channel that holds messages for long. */
const MAX_WAIT_MS = 60_000;

type Rejection = Pick<Extract<TrackOutcome, { kind: 'rejected' }>, 'code' | 'reason'>;

const FAILED: Rejection = {
  code: 'internal',
  reason: `It failed ${MAX_ATTEMPTS} times; the log of Paybell tells why.`,
};
const REDELIVERED: Rejection = {
  code: 'redelivered_too_often',
  reason: `It was delivered ${MAX_DELIVERIES} times and never came to an end.`,
};

type Try = TrackOutcome | { readonly kind: 'failed'; readonly reason: string; readonly retryInMs: null };

/** A message in hand, and the channel that it came on. */
export interface InHand {
  readonly message: ConsumeMessage;
  readonly channel: TrackChannel;
  /** Aborted at a stop: a wait ends, what is being committed is seen through. */
  readonly signal: AbortSignal;
  /** Aborted when another is to be tried alone: what would have to wait goes back to the queue. */
  readonly hurry: AbortSignal;
}

/** Sees each message of the track queue through: it ends taken, in the queue of rejected ones, or back in its own. */
export class TrackHandling {
  private readonly rejections: RateLimitedWarning;
  private readonly waits: RateLimitedWarning;
  private readonly failures: RateLimitedWarning;

  constructor(
    private readonly queue: string,
    private readonly requests: TrackRequests,
    private readonly meter: Meter,
    private readonly timing: RabbitmqTiming,
  ) {
    this.rejections = new RateLimitedWarning(timing.logEveryMs);
    this.waits = new RateLimitedWarning(timing.logEveryMs);
    this.failures = new RateLimitedWarning(timing.logEveryMs);
  }

  async handle(hand: InHand): Promise<void> {
    const { message, channel, signal, hurry } = hand;
    const backoff = this.backoff();
    const deliveries = deliveriesBefore(message);
    const putBackAtMs = performance.now() + this.timing.trackHoldMs;
    let attempts = Math.min(attemptsBefore(message), MAX_ATTEMPTS - 1);
    if (deliveries >= MAX_DELIVERIES) return this.reject(hand, REDELIVERED, attempts);
    // Counted before it is tried: it may end the process.
    if (isUncounted(message)) return this.putBack(hand);
    while (channel.isOpen) {
      const came = await this.attempt(message);
      if (came.kind === 'taken') return channel.ack(message);
      if (came.kind === 'rejected') return this.reject(hand, came, attempts + 1);
      if (came.kind === 'failed') attempts += 1;
      if (attempts === MAX_ATTEMPTS) return this.reject(hand, FAILED, attempts);
      const waitMs = Math.max(backoff.nextMs(), Math.min(came.retryInMs ?? 0, MAX_WAIT_MS));
      await wait(waitMs, signal, hurry, channel.signal);
      // A new message at the end of the queue: others get their turn, and the broker's count of deliveries begins anew.
      if (signal.aborted || hurry.aborted || performance.now() >= putBackAtMs)
        return this.move(hand, this.queue, returnedHeaders(attempts));
    }
  }

  /** To the end of its queue, untried, with all that is counted of it. */
  putBack(hand: InHand): Promise<void> {
    const { message } = hand;
    const headers = returnedHeaders(attemptsBefore(message), deliveriesBefore(message));
    return this.move(hand, this.queue, headers);
  }

  private async attempt({ content, properties }: ConsumeMessage): Promise<Try> {
    const { contentType, contentEncoding } = properties as { contentType?: string; contentEncoding?: string };
    const came = await this.requests
      .take({
        body: content,
        contentType: contentType ?? null,
        contentEncoding: contentEncoding ?? null,
      })
      .catch((error: unknown): Try => ({ kind: 'failed', reason: messageOf(error), retryInMs: null }));
    if (came.kind !== 'rejected') this.meter.trackMessage(came.kind);
    if (came.kind === 'held') this.waits.notify(`Track messages wait: ${came.reason}`);
    if (came.kind === 'failed') this.failures.notify(`A track message failed: ${came.reason}`);
    return came;
  }

  private reject(hand: InHand, { code, reason }: Rejection, attempts: number): Promise<void> {
    this.meter.trackMessage('rejected');
    this.rejections.notify(`A track message was rejected (${code}): ${reason}`);
    return this.move(hand, rejectedQueueOf(this.queue), rejectedHeaders(code, reason, attempts));
  }

  /** Again and again while the broker refuses the copy: the message is not acknowledged before it has one. */
  private async move(hand: InHand, queue: string, headers: OwnHeaders): Promise<void> {
    const { message, channel, signal } = hand;
    const backoff = this.backoff();
    while (channel.isOpen) {
      if ((await channel.move(message, queue, headers)) || signal.aborted) return;
      await wait(backoff.nextMs(), signal, channel.signal);
    }
  }

  private backoff(): Backoff {
    return new Backoff(this.timing.trackRetryFromMs, this.timing.trackRetryUpToMs);
  }
}

async function wait(ms: number, ...endedBy: AbortSignal[]): Promise<void> {
  await pause(ms, undefined, { signal: AbortSignal.any(endedBy) }).catch(() => undefined);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
