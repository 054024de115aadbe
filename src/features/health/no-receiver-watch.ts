import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';

import { Loop } from '../../platform/scheduling/loop.ts';
import { WakeSignal } from '../../platform/scheduling/wake-signal.ts';
import { DatabaseHealth } from '../../ports/readiness.ts';
import { UntoldPayments } from '../../ports/untold.ts';

const EVERY_MS = 60_000;
const REMEDY =
  'add an endpoint or set RABBITMQ_URL; `paybell endpoints recover ID --since 2h` then sends them to an endpoint';

/** Logs, once a minute at most, that events had no receiver. */
@Injectable()
export class NoReceiverWatch implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('Deliveries');
  private readonly loop = new Loop('the watch of receivers', new WakeSignal(), () => this.round());

  constructor(
    private readonly untold: UntoldPayments,
    private readonly database: DatabaseHealth,
  ) {}

  onApplicationBootstrap(): void {
    void this.database.whenReady().then(() => this.loop.start());
  }

  async onModuleDestroy(): Promise<void> {
    await this.loop.stop();
  }

  private async round(): Promise<number> {
    const count = await this.untold.withoutReceiver();
    const events = count === 1 ? '1 event' : `${count} events`;
    if (count > 0) this.log.warn(`${events} of the last minute had no receiver: ${REMEDY}`);
    return EVERY_MS;
  }
}
