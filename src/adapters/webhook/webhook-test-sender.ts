import { randomUUID } from 'node:crypto';

import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';

import { Config } from '../../config.ts';
import { testEvent } from '../../domain/test-event.ts';
import { Clock } from '../../ports/clock.ts';
import type { WebhookTarget } from '../../ports/webhook-endpoints.ts';
import { WebhookTester, type TestAnswer } from '../../ports/webhook-tester.ts';
import type { Ending } from './exchange.ts';
import { failureOfEnding } from './failure-class.ts';
import { outcomeOfStatus } from './outcome-of-status.ts';
import { WebhookSender } from './webhook-sender.ts';

/** Sends test events as deliveries are sent: the same signature, guard and limits. */
@Injectable()
export class WebhookTestSender extends WebhookTester implements BeforeApplicationShutdown {
  private readonly stopping = new AbortController();

  constructor(
    private readonly sender: WebhookSender,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {
    super();
  }

  async test(target: WebhookTarget): Promise<TestAnswer> {
    const eventId = randomUUID();
    const stamp = { id: eventId, source: this.config.eventSource, time: this.clock.now() };
    const beganAt = performance.now();
    const ending = await this.sender
      .send(target, { eventId, body: testEvent(stamp, target.id) }, this.stopping.signal)
      .catch((error: unknown): Ending => ({ kind: 'broken', error, address: null }));
    const durationMs = Math.round(performance.now() - beganAt);
    return { ...this.answerOf(ending), durationMs };
  }

  /** Whoever asked for a test is answered, however long the endpoint takes. */
  beforeApplicationShutdown(): void {
    this.stopping.abort();
  }

  private answerOf(ending: Ending): Omit<TestAnswer, 'durationMs'> {
    if (ending.kind !== 'answered')
      return { delivered: false, httpStatus: null, failure: failureOfEnding(ending), body: null };
    const { httpStatus, retryAfter, excerpt } = ending;
    const outcome = outcomeOfStatus(httpStatus, retryAfter, this.clock.now());
    const failure = outcome.kind === 'failed' ? outcome.failure : null;
    return { delivered: outcome.kind === 'delivered', httpStatus, failure, body: excerpt.toString('utf8') };
  }
}
