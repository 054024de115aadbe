import { Injectable, Logger } from '@nestjs/common';

import { ServiceLoop } from '../../platform/scheduling/service-loop.ts';
import { DatabaseHealth } from '../../ports/readiness.ts';
import { UntoldPayments } from '../../ports/untold-payments.ts';

const EVERY_MS = 60_000;
const REMEDY =
  'add an endpoint or set RABBITMQ_URL; `paybell endpoints recover ID --since 2h` then sends them to an endpoint';

/** Logs, at most once a minute, that events had no receiver. */
@Injectable()
export class NoReceiverWatch extends ServiceLoop {
  private readonly log = new Logger('Deliveries');

  constructor(
    private readonly untold: UntoldPayments,
    database: DatabaseHealth,
  ) {
    super('the watch of receivers', database);
  }

  protected async round(): Promise<number> {
    const count = await this.untold.withoutReceiver();
    const events = count === 1 ? '1 event' : `${count} events`;
    if (count > 0) this.log.warn(`${events} of the last minute had no receiver: ${REMEDY}`);
    return EVERY_MS;
  }
}
