import { Injectable, Logger } from '@nestjs/common';

import { DatabaseHealth } from '../../ports/readiness.ts';
import { WithheldPayments } from '../../ports/withheld-payments.ts';
import { ServiceLoop } from '../../platform/scheduling/service-loop.ts';

/** Repeated after this time for payments that a replica with the former mode has withheld meanwhile. */
const AGAIN_MS = 3_600_000;

/**
 * If VERIFY is not `require`, makes withheld payments complete that nothing contradicts, and logs at the start how many wait.
 */
@Injectable()
export class LeaveRequire extends ServiceLoop {
  private readonly log = new Logger('Proof');
  private isTold = false;

  constructor(
    private readonly withheld: WithheldPayments,
    database: DatabaseHealth,
  ) {
    super('withheld payments', database);
  }

  protected async round(): Promise<number> {
    const { completing, contradicted, resolved } = await this.withheld.leaveRequire();
    const isNews = completing > 0 || (!this.isTold && contradicted + resolved > 0);
    if (isNews)
      this.log.warn(
        `VERIFY is no longer require. Withheld payments: ${completing} complete with their next report; ${contradicted} contradicted ` +
          `and ${resolved} resolved stay withheld until a proof, or \`paybell payments release\``,
      );
    this.isTold = true;
    return AGAIN_MS;
  }
}
