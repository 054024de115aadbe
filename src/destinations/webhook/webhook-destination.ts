import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';

import { endpointName } from '../../domain/text/log-context.ts';
import { retryInMs, outcomeOfEnding, reasonOf } from './webhook-outcome.ts';
import { Clock } from '../../ports/clock.ts';
import {
  Destination,
  type Failed,
  type Outcome,
  type DueDelivery,
  type LoggedTarget,
  type TargetChange,
} from '../../ports/deliveries.ts';
import { Meter } from '../../ports/meter.ts';
import { type EnabledTarget, WebhookEndpoints, type WebhookTarget } from '../../ports/webhook-endpoints.ts';
import type { Ending } from './http-attempt.ts';
import { BlockedAddress } from '../../platform/outbound/guarded-connector.ts';
import { WEBHOOK } from './webhook-descriptor.ts';
import { WebhookSender } from './webhook-sender.ts';
import { WebhookSettings } from './webhook.settings.ts';

/** The parts of an event that a webhook needs; an event that is not about a payment has no trace context. */
type Sent = Pick<DueDelivery, 'destinationId' | 'eventId' | 'body'> &
  Partial<Pick<DueDelivery, 'traceparent'>>;

const TOTAL = 600;
const HELD_MS = 1_000;
const LOG_AGAIN_AFTER_MS = 60_000;
const MAX_LOGGED = 1_000;
const CHANGE_WARNINGS: Readonly<Record<TargetChange['change'], string | null>> = {
  opened:
    'failed ten times in a row, for three payments at least: its circuit is open, and it gets only probes, every 30 s at first; a successful test closes the circuit at once',
  open: null,
  recovered: 'answers again: its pending deliveries are sent at a growing rate',
  disabled: 'failed everything for 5 days and is disabled: enable it once it works again',
};

/** Delivers events to the merchant's webhook endpoints as Standard Webhooks. */
@Injectable()
export class WebhookDestination extends Destination implements OnApplicationShutdown {
  readonly kind = WEBHOOK.kind;
  readonly limits: Destination['limits'];
  readonly lanePatienceMs: number;
  private readonly log = new Logger(WebhookDestination.name);
  private readonly loggedAt = new Map<string, number>();
  /** The targets when they were last read. */
  private known: readonly EnabledTarget[] = [];

  constructor(
    private readonly endpoints: WebhookEndpoints,
    private readonly sender: WebhookSender,
    private readonly settings: WebhookSettings,
    private readonly clock: Clock,
    private readonly meter: Meter,
  ) {
    super();
    const { webhookMaxConcurrency: perTarget, webhookTimeoutMs: timeoutMs } = settings;
    this.limits = { total: TOTAL, perTarget, timeoutMs };
    this.lanePatienceMs = settings.webhookLanePatienceMs;
  }

  async targets(): Promise<readonly EnabledTarget[]> {
    this.known = await this.endpoints.targets();
    return this.known;
  }

  override describe(id: string): LoggedTarget {
    const description = this.known.find((target) => target.id === id)?.description ?? null;
    return { id, description, name: endpointName(id, description) };
  }

  override applyChanges(changes: readonly TargetChange[]): void {
    if (changes.length === 0) return;
    this.endpoints.forgetTargets();
    for (const { targetId, change } of changes) {
      if (CHANGE_WARNINGS[change] !== null)
        this.log.warn(`Webhook endpoint ${this.nameOf(targetId)} ${CHANGE_WARNINGS[change]}`);
      if (change === 'disabled') this.meter.endpointDisabled('failing');
    }
  }

  async deliver(delivery: Sent, signal: AbortSignal): Promise<Outcome> {
    try {
      const targets = await this.targets();
      const target = targets.find(({ id }) => id === delivery.destinationId);
      return target === undefined ? held(HELD_MS) : await this.attempt(target, delivery, signal);
    } catch (error) {
      this.warn('attempt', `A webhook could not be sent: ${reasonOf(error)}`);
      return held(HELD_MS);
    }
  }

  retryInMs(retries: number, { retryAfterMs }: Failed): number | null {
    return retryInMs(this.settings.webhookRetryScheduleMs, retries, retryAfterMs, Math.random);
  }

  /** Runs in the last phase of the shutdown, when no delivery is in flight. */
  async onApplicationShutdown(): Promise<void> {
    await this.sender.close();
  }

  private async attempt(target: WebhookTarget, delivery: Sent, signal: AbortSignal): Promise<Outcome> {
    const ending = await this.sender.send(target, delivery, signal);
    if (ending.kind === 'broken' && ending.error instanceof BlockedAddress)
      this.warn(target.id, `Webhook endpoint ${this.nameOf(target.id)}: its URL ${ending.error.message}`);
    const outcome = (await outcomeOfEnding(ending, this.clock.now())) ?? this.hold(ending);
    if (outcome.kind === 'failed' && outcome.failure === 'gone') await this.disable(target.id);
    return outcome;
  }

  private hold(ending: Ending): Outcome {
    if (ending.kind !== 'broken') return held(0);
    this.warn('own', `Webhooks are held because this process fails to send them: ${reasonOf(ending.error)}`);
    return held(HELD_MS);
  }

  private async disable(endpointId: string): Promise<void> {
    try {
      const isNew = await this.endpoints.disable(endpointId, 'answered 410 Gone');
      if (!isNew) return;
      this.log.warn(`Webhook endpoint ${this.nameOf(endpointId)} answered 410 Gone and is disabled`);
      this.meter.endpointDisabled('gone');
    } catch (error) {
      const name = this.nameOf(endpointId);
      this.warn(
        endpointId,
        `Webhook endpoint ${name} answered 410 Gone, not disabled yet: ${reasonOf(error)}`,
      );
    }
  }

  private nameOf(endpointId: string): string {
    return this.describe(endpointId).name;
  }

  /** Warns at most once a minute for each subject: an endpoint with many pending events would fill the log. */
  private warn(subject: string, message: string): void {
    const now = this.clock.now().getTime();
    if (now - (this.loggedAt.get(subject) ?? -Infinity) < LOG_AGAIN_AFTER_MS) return;
    if (this.loggedAt.size >= MAX_LOGGED) this.loggedAt.clear();
    this.loggedAt.set(subject, now);
    this.log.warn(message);
  }
}

function held(retryInMs: number): Outcome {
  return { kind: 'held', retryInMs };
}
