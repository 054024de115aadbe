import { Injectable } from '@nestjs/common';

import { ProviderCells } from '../../ports/provider-cell.ts';
import {
  AttentionCounts,
  type PaymentNeeds,
  type PaymentSums,
  type TroubledEndpoints,
  type BegunMove,
} from '../../ports/attention.ts';
import { ChainWitness } from '../../ports/chain-witness.ts';
import { Clock } from '../../ports/clock.ts';
import { connectionTroubles } from '../../ports/connection-troubles.ts';
import { type DestinationFacts, KnownDestinations } from '../../ports/destination-facts.ts';
import { DestinationKinds } from '../../ports/destinations.ts';
import { EventLog } from '../../ports/event-log.ts';
import { ProofFigures } from '../../ports/proof-figures.ts';
import { logTrouble } from '../../ports/log-trouble.ts';
import { ConnectionHealths } from '../../ports/readiness.ts';
import { Replicas, type SeenReplica, ThisReplica } from '../../ports/replicas.ts';
import { UnansweredQuotes } from '../../ports/unanswered-quotes.ts';
import { type Untold, UntoldPayments } from '../../ports/untold-payments.ts';
import { WebhookEndpoints } from '../../ports/webhook-endpoints.ts';
import { type AttentionItem, byOrder } from './attention-item.ts';
import type { AttentionAnswer, FirstStepsAnswer } from './attention.dto.ts';
import { logItems, replicaItems, secretItems } from './operating-items.ts';
import { rpcItems } from './proof-items.ts';
import { providerItems, quoteItems, seenProvider } from './provider-items.ts';
import { endpointItems, failedItems, paymentItems, refusingItems, unroutableItems } from './payment-items.ts';
import { brokerItems, untoldItems } from './untold-items.ts';

/** Everything that needs a person, by one reading. */
export interface AttentionReading {
  readonly checkedAt: Date;
  readonly untold: Untold;
  readonly disabled: TroubledEndpoints;
  readonly failing: TroubledEndpoints;
  readonly destinations: readonly DestinationFacts[];
  /** The payments that need a person. */
  readonly needs: PaymentNeeds;
  /** The items that are not about an endpoint. */
  readonly others: readonly AttentionItem[];
  readonly inFlight: PaymentSums;
  readonly replicas: readonly SeenReplica[];
}

/** Reads the items that need a person. */
@Injectable()
export class AttentionReader {
  constructor(
    private readonly counts: AttentionCounts,
    private readonly untold: UntoldPayments,
    private readonly destinations: KnownDestinations,
    private readonly connections: ConnectionHealths,
    private readonly kinds: DestinationKinds,
    private readonly replica: ThisReplica,
    private readonly cells: ProviderCells,
    private readonly eventLog: EventLog,
    private readonly webhooks: WebhookEndpoints,
    private readonly replicas: Replicas,
    private readonly clock: Clock,
    private readonly proofs: ProofFigures,
    private readonly witness: ChainWitness,
    private readonly unanswered: UnansweredQuotes,
  ) {}

  async read(): Promise<AttentionReading> {
    const checkedAt = this.clock.now();
    const replicas = await this.replicas.recent();
    const [untold, disabled, failing, destinations, needs, inFlight, ...items] = await Promise.all([
      this.untold.now(),
      this.counts.endpoints('disabled'),
      this.counts.endpoints('failing'),
      this.destinations.list(),
      this.counts.payments(),
      this.counts.inFlight(),
      this.deliveryItems(),
      this.operationItems(checkedAt, replicas),
      this.rpcItems(replicas),
    ]);
    const shared = [...replicaItems(replicas), ...this.connectionItems(replicas)];
    const others = [...paymentItems(needs), ...items.flat(), ...shared];
    return { checkedAt, untold, disabled, failing, destinations, needs, others, inFlight, replicas };
  }

  /** Empty while VERIFY is off. */
  async proofsOfLastDay(): Promise<Pick<AttentionAnswer, 'proofs'>> {
    const proofs = await this.proofs.lastDay();
    return proofs === null ? {} : { proofs };
  }

  /** The first steps of the quickstart, until a destination was told an event or a payment has completed. */
  async firstSteps({ destinations }: AttentionReading): Promise<Pick<AttentionAnswer, 'firstSteps'>> {
    if (isAnybodyTold(destinations)) return {};
    const { isOver, ...begun } = await this.counts.begunMove();
    return isOver ? {} : { firstSteps: firstSteps(destinations, begun) };
  }

  private connectionItems(replicas: readonly SeenReplica[]): AttentionItem[] {
    const others = this.othersOf(replicas);
    return this.kinds.all.flatMap(({ kind, name }) =>
      brokerItems(name, connectionTroubles(kind, this.connections, others)),
    );
  }

  private async rpcItems(replicas: readonly SeenReplica[]): Promise<AttentionItem[]> {
    const troubles = [...this.witness.troubles(), ...this.othersOf(replicas).flatMap(({ rpcs }) => rpcs)];
    const chains = [...new Set(troubles.map(({ chainId }) => chainId))];
    return rpcItems(troubles, await this.proofs.waiting(chains));
  }

  private othersOf(replicas: readonly SeenReplica[]): SeenReplica[] {
    return replicas.filter(({ id, isAlive }) => isAlive && id !== this.replica.id);
  }

  private async deliveryItems(): Promise<AttentionItem[]> {
    const [failed, unroutable] = await Promise.all([
      this.counts.failedDeliveries(),
      this.counts.unroutableEvents(),
    ]);
    return [...failedItems(failed), ...unroutableItems(unroutable)];
  }

  private async operationItems(now: Date, replicas: readonly SeenReplica[]): Promise<AttentionItem[]> {
    const [providers, log, unreadable, quotes] = await Promise.all([
      Promise.all(this.cells.asked.map(seenProvider)),
      logTrouble(this.eventLog),
      this.webhooks.unreadable(),
      this.unanswered.recent(),
    ]);
    return [
      ...providerItems(providers, replicas),
      ...quoteItems(quotes),
      ...logItems(log, now),
      ...secretItems(unreadable),
    ];
  }
}

/** The items of a reading, the worst first; leaves out those about the endpoint `except`. */
export function itemsOf(
  { checkedAt, untold, disabled, failing, destinations, needs, others }: AttentionReading,
  except: string | null = null,
): AttentionItem[] {
  const known = destinations.filter(({ rowId }) => rowId !== except);
  const rest = untoldExcept(untold, except);
  const items = [
    ...untoldItems(rest, { needs: rest === untold ? needs : null, known }),
    ...endpointItems('disabled', troubledExcept(disabled, except), known),
    ...endpointItems('failing', troubledExcept(failing, except)),
    ...refusingItems(known, checkedAt),
    ...others,
  ];
  return items.toSorted(byOrder);
}

/** The other endpoints may lack the same payments: together they lack at least as many as one of them does. */
function untoldExcept(untold: Untold, endpointId: string | null): Untold {
  const destinations = untold.destinations.filter(({ destination }) => destination.id !== endpointId);
  if (endpointId === null || destinations.length === untold.destinations.length) return untold;
  const count = Math.max(0, ...destinations.map((each) => each.count));
  const since = destinations.map((each) => each.since).reduce(earlier, null);
  const isMore = destinations.length > 1 || destinations.some((each) => each.isMore);
  return { count, isMore, since, destinations };
}

function troubledExcept(troubled: TroubledEndpoints, endpointId: string | null): TroubledEndpoints {
  const endpoints = troubled.endpoints.filter(({ id }) => id !== endpointId);
  const others = troubled.endpoints.length - endpoints.length;
  return { ...troubled, endpoints, count: troubled.count - others };
}

function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

/** Whether any destination was ever told an event. */
export function isAnybodyTold(destinations: readonly DestinationFacts[]): boolean {
  return destinations.some(({ lastDeliveredAt }) => lastDeliveredAt !== null);
}

export function firstSteps(
  destinations: readonly DestinationFacts[],
  begun: Omit<BegunMove, 'isOver'>,
): FirstStepsAnswer {
  const isTested = destinations.some(({ testedAt }) => testedAt !== null);
  return { hasDestination: destinations.length > 0, isTested, ...begun };
}
