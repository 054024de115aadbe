import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';

import { endpointName } from '../../domain/text/log-context.ts';
import { Loop } from '../../platform/scheduling/loop.ts';
import { WakeSignal } from '../../platform/scheduling/wake-signal.ts';
import type { Failed } from '../../ports/deliveries.ts';
import {
  type DueOperational,
  OperationalEvents,
  OperationalWebhooks,
} from '../../ports/operational-events.ts';
import { DatabaseHealth } from '../../ports/readiness.ts';

const EVERY_MS = 2_000;
const AT_ONCE = 10;
/** A lease outlasts its request by this. */
const LEASE_SPARE_MS = 5_000;

/** Sends recorded operational events, signed and retried as webhooks of payments are. */
@Injectable()
export class OperationalSender implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('Operational events');
  private readonly loop = new Loop('the sender of operational events', new WakeSignal(), (signal) =>
    this.round(signal),
  );

  constructor(
    private readonly events: OperationalEvents,
    private readonly webhooks: OperationalWebhooks,
    private readonly database: DatabaseHealth,
  ) {}

  onApplicationBootstrap(): void {
    void this.database.whenReady().then(() => this.loop.start());
  }

  async onModuleDestroy(): Promise<void> {
    await this.loop.stop();
  }

  private async round(signal: AbortSignal): Promise<number> {
    const { limits, lanePatienceMs } = this.webhooks;
    const due = await this.events.claim(AT_ONCE, limits.timeoutMs + LEASE_SPARE_MS, lanePatienceMs);
    await Promise.all(due.map((each) => this.send(each, signal)));
    return due.length === AT_ONCE ? 0 : EVERY_MS;
  }

  private async send(due: DueOperational, signal: AbortSignal): Promise<void> {
    const outcome = await this.webhooks.deliver(due, signal);
    if (outcome.kind === 'held') return this.events.putOff(due, Math.max(outcome.retryInMs, EVERY_MS));
    if (outcome.kind === 'delivered') return this.events.settle(due, null);
    const retryInMs = this.webhooks.retryInMs(due.retries + 1, outcome);
    this.warn(due, outcome, retryInMs);
    await this.events.settle(due, retryInMs);
  }

  private warn(
    { destinationId, code }: DueOperational,
    { failure, httpStatus }: Failed,
    retryInMs: number | null,
  ): void {
    const why = httpStatus === null ? failure : `${failure} ${httpStatus}`;
    const next = retryInMs === null ? 'it is given up' : `next attempt in ${Math.round(retryInMs / 1_000)} s`;
    this.log.warn(
      `Webhook endpoint ${endpointName(destinationId, null)} did not take the event about ${code} (${why}): ${next}`,
    );
  }
}
