import { Injectable, Logger } from '@nestjs/common';

import type { Payment } from '../../domain/payment/payment.ts';
import { applyUnseenDeposit } from '../../domain/payment/unseen-deposit.ts';
import { waitForDeposit } from '../../domain/payment/deposit-inspections.ts';
import { unseenDeposit, watchedDeposit } from '../../domain/payment/watched-deposit.ts';
import { isPaid } from '../../domain/payment/status.ts';
import type { SeenTransfer, WatchedDeposit } from '../../domain/proof/output.ts';
import { ChainWitness } from '../../ports/chain-witness.ts';
import { ProviderCells } from '../../ports/provider-cell.ts';
import { DatabaseHealth } from '../../ports/readiness.ts';
import { Timers } from '../../ports/timers.ts';
import { WatchedDeposits, type DepositClaim } from '../../ports/watched-deposits.ts';
import { DeliverySignals } from '../../platform/scheduling/delivery-signals.ts';
import { ServiceLoop } from '../../platform/scheduling/service-loop.ts';
import { InspectionsUnderWay } from './inspections-under-way.ts';
import { ProofSettings } from './proof.settings.ts';

const IDLE_MS = 2_000;
const MAX_INSPECTIONS = 8;
const LEASE_MS = 120_000;

/** Inspects the deposit addresses of unpaid payments around their expiry, and tells of deposits that the provider misses. */
@Injectable()
export class DepositLoop extends ServiceLoop {
  private readonly log = new Logger('Proof');
  private readonly inspections: InspectionsUnderWay;

  constructor(
    private readonly deposits: WatchedDeposits,
    private readonly deliveries: DeliverySignals,
    private readonly witness: ChainWitness,
    private readonly cells: ProviderCells,
    private readonly settings: ProofSettings,
    database: DatabaseHealth,
    timers: Timers,
  ) {
    super('deposit watch', database);
    this.inspections = new InspectionsUnderWay(
      MAX_INSPECTIONS,
      () => this.wakeSignal.wake(),
      this.log,
      timers,
    );
  }

  protected async round(): Promise<number> {
    const { room } = this.inspections;
    if (room === 0) return IDLE_MS;
    const claims = await this.deposits.claimDue(room, LEASE_MS);
    for (const claim of claims) this.inspections.start(claim.quoteId, () => this.inspect(claim));
    return IDLE_MS;
  }

  override async beforeApplicationShutdown(): Promise<void> {
    await super.beforeApplicationShutdown();
    await this.inspections.drain();
  }

  private async inspect(claim: DepositClaim): Promise<void> {
    const watched = isPaid(claim.status) ? null : watchedDeposit(claim);
    if (watched === null || !(await this.witness.sees(watched.chainId, watched.token)))
      return this.deposits.keep(claim, null, null);
    if (claim.seen !== null) return this.tellIfUnseen(claim, claim.seen, watched);
    const { deposit } = await this.witness.inspectDeposit(watched);
    if (deposit !== null) return this.noteSeen(claim, deposit);
    const isNamed = claim.txHashes.length > 0;
    await this.deposits.keep(claim, null, waitForDeposit(claim.inspections, isNamed, claim.leftMs));
  }

  /** The provider may just be slow: it is given a hint, and its time. */
  private async noteSeen(claim: DepositClaim, deposit: SeenTransfer): Promise<void> {
    await this.deposits.keep(claim, deposit, this.settings.depositUnseenMs);
    const cell = this.cells.find(claim.provider);
    if (cell === null) return;
    try {
      await cell.provider.submitDeposit(claim.quoteId, deposit.txHash);
    } catch (error) {
      this.log.warn(
        `${claim.quoteId}: the provider took no hint of its deposit: ${(error as Error).message}`,
      );
    }
    cell.pollRequests.hint(claim.quoteId);
  }

  private async tellIfUnseen(
    claim: DepositClaim,
    seen: SeenTransfer,
    { chainId }: WatchedDeposit,
  ): Promise<void> {
    const leftMs = this.settings.depositUnseenMs - claim.seenAgoMs;
    if (leftMs > 0) return this.deposits.keep(claim, seen, leftMs);
    const deposit = unseenDeposit(seen, chainId, claim.quoteText);
    const judge = (payment: Payment) => applyUnseenDeposit(payment, deposit);
    await this.deliveries.leasing((offers) => this.deposits.end(claim, judge, offers));
    this.log.warn(`${claim.quoteId}: a deposit is on chain that ${claim.provider} has not reported`);
  }
}
