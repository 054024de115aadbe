import { Injectable, Logger } from '@nestjs/common';

import { endpointName } from '../../domain/text/log-context.ts';
import { ServiceLoop } from '../../platform/scheduling/service-loop.ts';
import type { Failed } from '../../ports/deliveries.ts';
import {
  type DueOperational,
  OperationalEvents,
  OperationalWebhooks,
} from '../../ports/operational-events.ts';
import { DatabaseHealth } from '../../ports/readiness.ts';

const EVERY_MS = 2_000;
const AT_ONCE = 10;
/** How much longer a lease lasts than its request. */
const LEASE_SPARE_MS = 5_000;

/** Sends recorded operational events, signed and retried like webhooks of payments. */
@Injectable()
export class OperationalSender extends ServiceLoop {
  private readonly log = new Logger('Operational events');

  constructor(
    private readonly events: OperationalEvents,
    private readonly webhooks: OperationalWebhooks,
    database: DatabaseHealth,
  ) {
    super('the sender of operational events', database);
  }

  protected async round(signal: AbortSignal): Promise<number> {
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
