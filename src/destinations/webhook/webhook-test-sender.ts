import { randomUUID } from 'node:crypto';

import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';

import { endpointName } from '../../domain/text/log-context.ts';
import { exampleEvent } from '../../domain/event/example-event.ts';
import type { SubscribedType } from '../../domain/event/operational-event.ts';
import { testEvent } from '../../domain/event/stamp-event.ts';
import { Clock } from '../../ports/clock.ts';
import { WebhookEndpoints, type WebhookTarget } from '../../ports/webhook-endpoints.ts';
import { WebhookTester, type TestAnswer } from '../../ports/webhook-tester.ts';
import { DeliverySignals } from '../../platform/scheduling/delivery-signals.ts';
import type { Ending } from './http-attempt.ts';
import { answerOf, outcomeOfEnding, reasonOf } from './webhook-outcome.ts';
import { WEBHOOK } from './webhook-descriptor.ts';
import { WebhookSender } from './webhook-sender.ts';
import { WebhookSettings } from './webhook.settings.ts';

/** Sends test events with the signature, address guard and limits of deliveries. */
@Injectable()
export class WebhookTestSender extends WebhookTester implements OnModuleDestroy {
  private readonly log = new Logger('Webhook test');
  private readonly stopping = new AbortController();

  constructor(
    private readonly endpoints: WebhookEndpoints,
    private readonly wakeSignals: DeliverySignals,
    private readonly sender: WebhookSender,
    private readonly settings: WebhookSettings,
    private readonly clock: Clock,
  ) {
    super();
  }

  async test(target: WebhookTarget, type: SubscribedType | null): Promise<TestAnswer> {
    const eventId = randomUUID();
    const stamp = { id: eventId, source: this.settings.eventSource, time: this.clock.now() };
    const body = type === null ? testEvent(stamp, target.id) : exampleEvent(type, stamp);
    const startedAt = performance.now();
    const ending = await this.sender
      .send(target, { eventId, body }, this.stopping.signal)
      .catch((error: unknown): Ending => ({ kind: 'broken', error, address: null, connection: null }));
    const durationMs = Math.round(performance.now() - startedAt);
    const answer = { ...answerOf(await outcomeOfEnding(ending, this.clock.now())), durationMs };
    if (answer.delivered) await this.recover(target);
    return answer;
  }

  /** Aborts running tests, so that their requests are answered before the shutdown ends. */
  onModuleDestroy(): void {
    this.stopping.abort();
  }

  /** A delivered test event counts as a successful probe: it closes an open circuit. */
  private async recover(target: WebhookTarget): Promise<void> {
    const name = endpointName(target.id, target.description);
    try {
      if (!(await this.endpoints.recordTestDelivered(target))) return;
      this.log.warn(
        `Webhook endpoint ${name} took a test event: its pending deliveries are sent at a growing rate`,
      );
      this.wakeSignals.of(WEBHOOK.kind).wake();
    } catch (error) {
      this.log.warn(
        `Webhook endpoint ${name} took a test event, but its circuit stays open: ${reasonOf(error)}`,
      );
    }
  }
}
