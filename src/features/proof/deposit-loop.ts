import { Injectable, Logger } from '@nestjs/common';

import type { Payment } from '../../domain/payment/payment.ts';
import { applyUnseenDeposit } from '../../domain/transitions/unseen-deposit.ts';
import { waitForDeposit } from '../../domain/payment/deposit-inspections.ts';
import type { ListedToken } from '../../domain/payment/listed-token.ts';
import { tokenOf } from '../../domain/payment/promised-output.ts';
import { isPaid } from '../../domain/payment/status.ts';
import { readTerms } from '../../domain/payment/terms.ts';
import {
  noteDeposits,
  type NotedDeposit,
  unseenDeposit,
  type UntoldDeposit,
  untoldDeposits,
} from '../../domain/transitions/untold-deposits.ts';
import { otherTokens, watchedDeposit } from '../../domain/payment/watched-deposit.ts';
import type { WatchedDeposit } from '../../domain/proof/output.ts';
import { ChainWitness } from '../../ports/chain-witness.ts';
import { type ProviderCell, ProviderCells } from '../../ports/provider-cell.ts';
import { DatabaseHealth } from '../../ports/readiness.ts';
import { Timers } from '../../ports/timers.ts';
import { WatchedDeposits, type DepositClaim } from '../../ports/watched-deposits.ts';
import { DeliverySignals } from '../../platform/scheduling/delivery-signals.ts';
import { ServiceLoop } from '../../platform/scheduling/service-loop.ts';
import { InspectionsUnderWay } from './inspections-under-way.ts';
import { ListedTokens } from './listed-tokens.ts';
import { ProofSettings } from './proof.settings.ts';

const IDLE_MS = 2_000;
const MAX_INSPECTIONS = 8;
const LEASE_MS = 120_000;

/** Inspects the deposit addresses of unpaid payments around their expiry, and reports deposits that the provider misses. */
@Injectable()
export class DepositLoop extends ServiceLoop {
  private readonly log = new Logger('Proof');
  private readonly inspections: InspectionsUnderWay;
  private readonly listed: ListedTokens;

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
    this.listed = new ListedTokens(timers);
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
      return this.deposits.keep(claim, [], null);
    const cell = this.cells.find(claim.provider);
    const listed = cell === null ? [] : await this.listed.of(cell.provider, watched.chainId);
    const found = await this.witness.inspectDeposit({ ...watched, others: otherTokens(listed, watched) });
    const noted = noteDeposits(claim.noted, found, watched, claim.now);
    const untold = await this.untold(claim, watched, noted);
    const fresh = untold.filter(({ notedAt }) => notedAt === claim.now);
    if (cell !== null && fresh.length > 0) await this.hint(claim, cell, fresh);
    const { depositUnseenMs } = this.settings;
    const waitOf = ({ notedAt }: NotedDeposit): number =>
      depositUnseenMs - (claim.now.getTime() - notedAt.getTime());
    for (const each of untold) if (waitOf(each) <= 0) await this.tell(claim, watched, each, listed);
    const isNamed = claim.txHashes.length > 0;
    const waitMs = waitForDeposit(claim.inspections, isNamed, claim.leftMs);
    const waits = [
      waitMs === null ? Infinity : waitMs / this.settings.speed,
      ...untold.map(waitOf).filter((waitMs) => waitMs > 0),
    ];
    const nextInMs = Math.min(...waits);
    await this.deposits.keep(claim, noted, nextInMs === Infinity ? null : nextInMs);
  }

  /** Empty while it is not known which other payments have the address. */
  private async untold(
    claim: DepositClaim,
    watched: WatchedDeposit,
    noted: readonly NotedDeposit[],
  ): Promise<readonly UntoldDeposit[]> {
    if (noted.length === 0) return [];
    const others = await this.deposits.othersWith(claim, watched.depositAddress);
    return others === null ? [] : untoldDeposits(noted, watched, claim, others);
  }

  /** The provider may just be slow: Paybell sends a hint, and waits. */
  private async hint(
    { quoteId }: DepositClaim,
    { provider, pollRequests }: ProviderCell,
    deposits: readonly UntoldDeposit[],
  ): Promise<void> {
    for (const { txHash, wrongToken } of deposits)
      try {
        if (txHash !== null && !wrongToken) await provider.submitDeposit(quoteId, txHash);
      } catch (error) {
        this.log.warn(`${quoteId}: the provider took no hint of its deposit: ${(error as Error).message}`);
      }
    pollRequests.hint(quoteId);
  }

  private async tell(
    { quoteId, quoteText, provider }: DepositClaim,
    watched: WatchedDeposit,
    untold: UntoldDeposit,
    listed: readonly ListedToken[],
  ): Promise<void> {
    const asked = readTerms(quoteText).send.decimals;
    const came = untold.wrongToken ? await this.decimalsOf(watched.chainId, untold.token, listed) : asked;
    const deposit = unseenDeposit(untold, watched, { came, asked });
    const judge = (payment: Payment) => applyUnseenDeposit(payment, deposit);
    const { deliveries } = await this.deliveries.leasing((offers) =>
      this.deposits.tell(quoteId, judge, offers),
    );
    if (deliveries !== null)
      this.log.warn(`${quoteId}: a deposit is on chain that ${provider} has not reported`);
  }

  /** Reads the token's contract; the native coin has none. */
  private async decimalsOf(
    chainId: number,
    token: string | null,
    listed: readonly ListedToken[],
  ): Promise<number | null> {
    if (token === null) return listed.find(({ address }) => tokenOf(address) === null)?.decimals ?? null;
    return this.witness.readDecimals(chainId, token).catch(() => null);
  }
}
