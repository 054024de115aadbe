import { setTimeout as pause } from 'node:timers/promises';

import { Logger } from '@nestjs/common';
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
} from './message-copy.ts';
import type { RabbitmqTiming } from '../rabbitmq-timing.ts';
import type { TrackChannel } from './track-channel.ts';

/** The attempts after which a message that fails with an unexpected error is rejected. */
const MAX_ATTEMPTS = 3;
/**
 * The deliveries after which a message is rejected: each may have ended the process. A lost connection counts as a delivery
 * too.
 */
const MAX_DELIVERIES = 3;
/** The longest wait, even if a provider asks for more: the broker closes a channel that holds messages for long. */
const MAX_WAIT_MS = 60_000;

type Rejection = Pick<Extract<TrackOutcome, { kind: 'rejected' }>, 'code' | 'reason'>;

const FAILED: Rejection = {
  code: 'internal',
  reason: `It failed ${MAX_ATTEMPTS} times; see Paybell's log for the errors.`,
};
const REDELIVERED: Rejection = {
  code: 'redelivered_too_often',
  reason: `It was delivered ${MAX_DELIVERIES} times and was never completed.`,
};

type TrackResult =
  | TrackOutcome
  | { readonly kind: 'failed'; readonly reason: string; readonly retryInMs: null };

/** A message in process, and the channel that delivered it. */
export interface MessageInHand {
  readonly message: ConsumeMessage;
  readonly channel: TrackChannel;
  /** Aborted at the shutdown: ends a wait, but not a commit. */
  readonly signal: AbortSignal;
  /** Aborted when a redelivered message needs to be processed alone: a message that would wait goes back to the queue. */
  readonly yieldSignal: AbortSignal;
}

/** Processes a message of the track queue until it is taken, moved to the queue of rejected messages, or put back. */
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

  async handle(hand: MessageInHand): Promise<void> {
    const { message, channel, signal, yieldSignal: hurry } = hand;
    const backoff = this.backoff();
    const deliveries = deliveriesBefore(message);
    const putBackAtMs = performance.now() + this.timing.trackHoldMs;
    let attempts = Math.min(attemptsBefore(message), MAX_ATTEMPTS - 1);
    if (deliveries >= MAX_DELIVERIES) return this.reject(hand, REDELIVERED, attempts);
    // Puts the message back, so that this delivery counts before the attempt, which may end the process.
    if (isUncounted(message)) return this.putBack(hand);
    while (channel.isOpen) {
      const came = await this.attempt(message);
      if (came.kind === 'taken') return channel.ack(message);
      if (came.kind === 'rejected') return this.reject(hand, came, attempts + 1);
      if (came.kind === 'failed') attempts += 1;
      if (attempts === MAX_ATTEMPTS) return this.reject(hand, FAILED, attempts);
      const waitMs = Math.max(backoff.nextMs(), Math.min(came.retryInMs ?? 0, MAX_WAIT_MS));
      await wait(waitMs, signal, hurry, channel.signal);
      // The copy goes to the end of the queue, behind the other messages, and the broker counts its deliveries anew.
      if (signal.aborted || hurry.aborted || performance.now() >= putBackAtMs)
        return this.move(hand, this.queue, returnedHeaders(attempts));
    }
  }

  /** Moves the message to the end of its queue without an attempt, and keeps its counts. */
  putBack(hand: MessageInHand): Promise<void> {
    const { message } = hand;
    const headers = returnedHeaders(attemptsBefore(message), deliveriesBefore(message));
    return this.move(hand, this.queue, headers);
  }

  private async attempt({ content, properties }: ConsumeMessage): Promise<TrackResult> {
    const { contentType, contentEncoding } = properties as { contentType?: string; contentEncoding?: string };
    const came = await this.requests
      .takeRequest({
        body: content,
        contentType: contentType ?? null,
        contentEncoding: contentEncoding ?? null,
        traceparent: properties.headers?.['traceparent'],
      })
      .catch((error: unknown): TrackResult => ({
        kind: 'failed',
        reason: messageOf(error),
        retryInMs: null,
      }));
    if (came.kind !== 'rejected') this.meter.trackMessage(came.kind);
    if (came.kind === 'held') this.waits.warn(`Track messages wait: ${came.reason}`);
    if (came.kind === 'failed') this.failures.warn(`A track message failed: ${came.reason}`);
    return came;
  }

  private reject(hand: MessageInHand, { code, reason }: Rejection, attempts: number): Promise<void> {
    this.meter.trackMessage('rejected');
    this.rejections.warn(`A track message was rejected (${code}): ${reason}`);
    return this.move(hand, rejectedQueueOf(this.queue), rejectedHeaders(code, reason, attempts));
  }

  /** Repeats until the broker has confirmed the copy; only then is the message acknowledged. */
  private async move(hand: MessageInHand, queue: string, headers: OwnHeaders): Promise<void> {
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

/** Logs one kind of warning at most once in `everyMs`, with the number of warnings since the last line. */
class RateLimitedWarning {
  private readonly log = new Logger('RabbitMQ');
  private suppressed = 0;
  private loggedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly everyMs: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  warn(text: string): void {
    this.suppressed += 1;
    const nowMs = this.nowMs();
    if (nowMs - this.loggedAtMs < this.everyMs) return;
    this.log.warn(this.suppressed === 1 ? text : `${text} (${this.suppressed} since the last such line)`);
    this.loggedAtMs = nowMs;
    this.suppressed = 0;
  }
}
