import { Injectable } from '@nestjs/common';

import { providerName } from '../../domain/story/provider-name.ts';
import { Adoption, type AdoptedOrder } from '../adoption/adoption.ts';
import type { Asker } from '../adoption/asker.ts';
import { checkDepositAddress } from '../adoption/check-deposit-address.ts';
import { UnknownPayment, whyMissing } from '../adoption/unknown-payment.ts';
import { isRelabelled } from '../../domain/transitions/relabel.ts';
import type { Resolution } from '../../domain/payment/payment.ts';
import type { Settlement } from '../../domain/transitions/resolve.ts';
import { DeliverySignals } from '../../platform/scheduling/delivery-signals.ts';
import { tokenOf } from '../../domain/payment/promised-output.ts';
import { readRoute } from '../../domain/payment/route.ts';
import { ChainWitness } from '../../ports/chain-witness.ts';
import { Proofs } from '../../ports/proofs.ts';
import { ProviderCells } from '../../ports/provider-cell.ts';
import type { LabelToSet } from '../../ports/labels.ts';
import { PaymentRemoved, Payments, type PaymentEvents, type StoredPayment } from '../../ports/payments.ts';
import type { RequestSpan } from '../../ports/tracer.ts';
import { WatchedDeposits } from '../../ports/watched-deposits.ts';
import { WithheldPayments } from '../../ports/withheld-payments.ts';

/** The shortest time between a refresh and the poll before it. */
const REFRESH_GAP_MS = 1_000;

/** The payment's provider accepts no transaction hashes. */
class NoDepositHints extends Error {
  readonly code = 'no_deposit_hints';
  constructor(provider: string) {
    super(`The provider of this payment, ${providerName(provider)}, takes no transaction hashes.`);
  }
}

/** A payment that is tracked from now on, or was tracked already. */
export interface Tracked {
  readonly payment: StoredPayment;
  readonly isNew: boolean;
  /** The payment's former order, if it got another one. */
  readonly previousOrderId?: string | null;
}

/** The outcome for the span of the request. */
export function trackOutcome({ isNew }: Tracked): string {
  return isNew ? 'adopted' : 'known';
}

/** Tracks, reads and refreshes payments for the API and the track queue. */
@Injectable()
export class PaymentsService {
  constructor(
    private readonly payments: Payments,
    private readonly deliveries: DeliverySignals,
    private readonly adoption: Adoption,
    private readonly cells: ProviderCells,
    private readonly witness: ChainWitness,
    private readonly watched: WatchedDeposits,
    private readonly proofs: Proofs,
    private readonly withheld: WithheldPayments,
  ) {}

  /**
   * Tracks a quote that was made elsewhere. A payment that is already tracked gets this order id and metadata, if given, and
   * the quote object if it has none: a status request may have adopted it without them. Throws as Adoption does, and
   * OrderAlreadyNamed.
   */
  async track(
    quoteId: string,
    order: AdoptedOrder & LabelToSet,
    caller: Asker | string,
    span: RequestSpan | null,
  ): Promise<Tracked> {
    const known = await this.payments.read(quoteId);
    if (known === 'removed') throw new PaymentRemoved(409);
    if (known !== 'unknown') {
      if (known.reportText !== null && order.quote !== null)
        checkDepositAddress(quoteId, order.quote.text, known.reportText);
      if (known.quoteText === null && order.quote !== null)
        await this.payments.addQuote(known.quoteId, order.quote.text);
      else if (!isRelabelled(known, order)) return { payment: known, isNew: false };
      const { previousOrderId } = await this.deliveries.leasing((offers) =>
        this.payments.label(known.quoteId, order, offers),
      );
      return { payment: await this.find(known.quoteId), isNew: false, previousOrderId };
    }
    const added = await this.adoption.adopt(quoteId, caller, order, span);
    return added.isNew ? added : { payment: await this.find(added.quoteId), isNew: false };
  }

  /** Throws UnknownPayment and PaymentRemoved. */
  async find(quoteId: string): Promise<StoredPayment> {
    const payment = await this.payments.read(quoteId);
    if (typeof payment === 'string') throw whyMissing(payment);
    return payment;
  }

  /** The events' JSON texts, in order. Throws UnknownPayment, PaymentRemoved and InvalidCursor. */
  async eventsOf(quoteId: string, cursor: string | null): Promise<PaymentEvents> {
    const page = await this.payments.eventsOf(quoteId, cursor);
    if (page !== null) return page;
    const stored = await this.find(quoteId);
    const found = await this.payments.eventsOf(stored.quoteId, cursor);
    if (found === null) throw new UnknownPayment();
    return found;
  }

  /** Resolves a payment, or removes its resolution (null); returns the payment. Throws UnknownPayment and PaymentRemoved. */
  async resolve(quoteId: string, settlement: Settlement | null): Promise<StoredPayment> {
    const stored = await this.find(quoteId);
    await this.deliveries.leasing((offers) => this.payments.resolve(stored.quoteId, settlement, offers));
    return this.find(stored.quoteId);
  }

  /** Completes a withheld payment; returns it. Throws UnknownPayment, PaymentRemoved and NotWithheld. */
  async release(quoteId: string, released: Pick<Resolution, 'note' | 'by'>): Promise<StoredPayment> {
    const stored = await this.find(quoteId);
    await this.deliveries.leasing((offers) => this.withheld.release(stored.quoteId, released, offers));
    return this.find(stored.quoteId);
  }

  /**
   * Passes the transaction of a deposit to the payment's provider, and to the witness if it sees the chain. Throws
   * NoDepositHints if neither takes it, and as PaymentProvider does.
   */
  async submitDeposit(quoteId: string, txHash: string): Promise<StoredPayment> {
    const stored = await this.find(quoteId);
    const { provider, pollRequests } = this.cells.of(stored.provider);
    const { chainId, token } = readRoute(stored).origin;
    const isSeen =
      (await this.witness.sees(Number(chainId), token === null ? null : tokenOf(token))) &&
      (await this.watched.watch(stored.quoteId, txHash));
    if (!(await provider.submitDeposit(stored.quoteId, txHash)) && !isSeen)
      throw new NoDepositHints(provider.name);
    pollRequests.hint(stored.quoteId);
    return stored;
  }

  /**
   * Returns the payment after a poll now, or within the last second, and makes the witness inspect it. Throws as PollRequests
   * does.
   */
  async refresh(quoteId: string, caller: string): Promise<StoredPayment> {
    const stored = await this.find(quoteId);
    const { pollRequests } = this.cells.of(stored.provider);
    pollRequests.hint(stored.quoteId);
    // Inspects the chain first, since the provider may be away.
    await this.proofs.inspectNow(stored.quoteId);
    await pollRequests.pollNow(stored.quoteId, REFRESH_GAP_MS, caller);
    return this.find(stored.quoteId);
  }
}
