import { Injectable, Logger } from '@nestjs/common';

import { loggedOrderId, ofOrder } from '../../domain/text/log-context.ts';
import { ChainWitness } from '../../ports/chain-witness.ts';
import { Proofs, type JudgedInspection, type ProofClaim } from '../../ports/proofs.ts';
import { DatabaseHealth } from '../../ports/readiness.ts';
import { Timers } from '../../ports/timers.ts';
import { DeliverySignals } from '../../platform/scheduling/delivery-signals.ts';
import { ServiceLoop } from '../../platform/scheduling/service-loop.ts';
import { ProofSignal } from '../../platform/scheduling/wake-signal.ts';
import { InspectionsUnderWay } from './inspections-under-way.ts';
import { inspectOutput } from './inspect-output.ts';
import { ProofSettings } from './proof.settings.ts';

/** How often the loop checks for inspections that other replicas have begun, or that have become due. */
const IDLE_MS = 1_000;
const MAX_INSPECTIONS = 16;
/** Then another replica repeats an inspection, if the one that began it has died. */
const LEASE_MS = 30_000;
/** Longer than the witness takes; an inspection that ends later is dropped, and its payment is inspected again. */
const SLOW_LEASE_MS = 120_000;

/** Makes the witness search for the outputs of completed payments, beside polls and deliveries, and records the results. */
@Injectable()
export class ProofLoop extends ServiceLoop {
  private readonly log = new Logger('Proof');
  private readonly inspections: InspectionsUnderWay;

  constructor(
    private readonly proofs: Proofs,
    private readonly deliveries: DeliverySignals,
    private readonly witness: ChainWitness,
    private readonly settings: ProofSettings,
    database: DatabaseHealth,
    signal: ProofSignal,
    timers: Timers,
  ) {
    super('proof', database, signal);
    this.inspections = new InspectionsUnderWay(MAX_INSPECTIONS, () => signal.wake(), this.log, timers);
  }

  protected async round(): Promise<number> {
    const { room } = this.inspections;
    if (room === 0) return IDLE_MS;
    const claims = await this.proofs.claimDue(room, LEASE_MS);
    for (const claim of claims)
      this.inspections.start(
        claim.quoteId,
        () => this.inspect(claim),
        () => this.proofs.extendLease(claim, SLOW_LEASE_MS),
      );
    return IDLE_MS;
  }

  override async beforeApplicationShutdown(): Promise<void> {
    await super.beforeApplicationShutdown();
    await this.inspections.drain();
  }

  private async inspect(claim: ProofClaim): Promise<void> {
    const { candidates, judge } = await inspectOutput(claim, this.witness, this.proofs, this.settings);
    let last: JudgedInspection | null = null;
    const { isRecorded } = await this.deliveries.leasing((offers) =>
      this.proofs.record(
        claim,
        candidates,
        (payment, reserved, now) => (last = judge(payment, reserved, now)),
        offers,
      ),
    );
    if (isRecorded && last !== null) this.note(claim, last);
  }

  private note({ quoteId, provider }: ProofClaim, { transition }: JudgedInspection): void {
    const { orderId } = transition.payment;
    const fields = { quoteId, provider, ...(orderId === null ? {} : { orderId: loggedOrderId(orderId) }) };
    for (const { type, sequence, reason } of transition.events) {
      const why = reason === undefined ? '' : ` (${reason})`;
      const line = `${quoteId}: ${type} #${sequence}${why}${ofOrder(orderId)}`;
      if (reason === undefined) this.log.debug(line, { ...fields, type, sequence });
      else this.log.warn(line, { ...fields, type, sequence });
    }
  }
}
