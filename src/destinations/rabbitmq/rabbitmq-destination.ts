import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';

import {
  Destination,
  type Failed,
  type Outcome,
  type DueDelivery,
  type LoggedTarget,
  type Target,
} from '../../ports/deliveries.ts';
import type { Meter } from '../../ports/meter.ts';
import { RABBITMQ, type SingleTargets } from '../../ports/destinations.ts';
import type { ConnectionTrouble, Health } from '../../ports/readiness.ts';
import type { DeliverySignals } from '../../platform/scheduling/delivery-signals.ts';
import { BrokerAddress } from './broker-address.ts';
import { BrokerConnection } from './broker-connection.ts';
import { Deadline } from './deadline.ts';
import { messageOf } from './event-message.ts';
import { exchangeName, type RabbitmqFailure } from './rabbitmq-descriptor.ts';
import { MAX_UNCONFIRMED, type Confirm, type PublishChannel } from './publish-channel.ts';
import { RABBITMQ_TIMING, type RabbitmqTiming } from './rabbitmq-timing.ts';
import { Refusals } from './refusals.ts';
import { UnroutableTypes } from './unroutable-types.ts';

const RETRY_FROM_MS = 1_000;
const RETRY_UP_TO_MS = 30_000;
/** Longer than the wait until a refused event is published again. */
const REFUSED_FOR_MS = 4 * RETRY_UP_TO_MS;

const DELIVERED = { kind: 'delivered', httpStatus: null, isRouted: true } as const;
/** Keeps a lane from retrying in a tight loop. The delivery resumes when `targets` lists the exchange again. */
const HELD: Outcome = { kind: 'held', retryInMs: 250 };

export interface RabbitmqOptions {
  readonly urls: readonly string[];
  readonly exchange: string;
  /** If set, a durable quorum queue of this name is declared and bound for all events. */
  readonly eventQueue?: string | null;
  /** Certificate authorities, as PEM, for `amqps://`, in place of the well-known ones. */
  readonly ca?: string | null;
}

/** Publishes events to the RabbitMQ exchange. An event counts as delivered only once the broker has confirmed it. */
export class RabbitmqDestination
  extends Destination
  implements OnApplicationBootstrap, OnApplicationShutdown
{
  readonly kind = RABBITMQ;
  readonly limits: Destination['limits'];
  /** Null: a lane waits without limit, so that a payment's events stay in order. */
  readonly lanePatienceMs = null;
  private readonly connection: BrokerConnection;
  private readonly unroutable: UnroutableTypes;
  private readonly refusals = new Refusals(REFUSED_FOR_MS);
  private readonly name: string;

  constructor(
    options: RabbitmqOptions,
    private readonly singleTargets: SingleTargets,
    wakeSignals: DeliverySignals,
    meter: Meter,
    private readonly timing: RabbitmqTiming = RABBITMQ_TIMING,
  ) {
    super();
    this.limits = { total: MAX_UNCONFIRMED, perTarget: MAX_UNCONFIRMED, timeoutMs: timing.confirmMs };
    this.unroutable = new UnroutableTypes(timing.unroutableForMs, timing.logEveryMs, () =>
      meter.unroutable(),
    );
    const { urls, exchange, eventQueue = null, ca = null } = options;
    this.name = exchangeName(exchange);
    const addresses = urls.map((url) => new BrokerAddress(url, ca));
    this.connection = new BrokerConnection(addresses, { exchange, eventQueue }, timing, (isNew) => {
      if (isNew) this.unroutable.forgetAll();
      wakeSignals.of(RABBITMQ).wake();
    });
  }

  onApplicationBootstrap(): void {
    this.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  /** Connects in the background, and reconnects whenever the connection ends. */
  start(): void {
    this.connection.start();
  }

  /** Waits for the missing confirms, then closes the connection. */
  close(): Promise<void> {
    return this.connection.close();
  }

  /** The exchange has no circuit: its connection's state decides whether it is a target. */
  async targets(): Promise<readonly Target[]> {
    if (this.connection.usable() === null) return [];
    const id = await this.singleTargets.idOf(RABBITMQ);
    return id === null ? [] : [{ id, circuit: 'closed', recoveredForMs: null }];
  }

  /** Retries without limit, except for unroutable events, which wait a bounded time for a queue to be bound. */
  retryInMs(retries: number, { failure }: Failed): number | null {
    if (failure === 'unroutable') return this.timing.unroutableRetriesMs[retries - 1] ?? null;
    return Math.min(RETRY_UP_TO_MS, RETRY_FROM_MS * 2 ** Math.max(0, retries - 1));
  }

  /** Describes the only target. */
  override describe(): LoggedTarget {
    return { id: RABBITMQ, description: null, name: this.name };
  }

  health(): Health {
    const problem = this.connection.whyUnusable() ?? this.trouble()?.detail;
    if (problem !== undefined) return { status: 'degraded', detail: problem };
    const types = this.unroutable.types();
    if (types.length > 0) return { status: 'degraded', detail: `no queue is bound for ${types.join(', ')}` };
    return { status: 'ok' };
  }

  /** Returns the trouble that keeps events from the exchange; null: there is none. */
  trouble(): ConnectionTrouble | null {
    return this.connection.connectionTrouble() ?? this.refusals.trouble();
  }

  /** Publishes before the first await, so that deliveries are sent in the order in which they were started. */
  async deliver(delivery: DueDelivery, signal: AbortSignal): Promise<Outcome> {
    const channel = this.connection.usable();
    if (channel === null || signal.aborted || !channel.hasRoomFor(delivery.eventId)) return HELD;
    const way = this.refusals.wayOf(delivery);
    if (typeof way === 'object') return refused(way.words);
    if (way === 'alone' && !this.connection.hasRoomAlone) return HELD;
    const deadline = new Deadline(this.timing.confirmMs, signal);
    try {
      if (way === 'together') return await this.publishTogether(channel, delivery, deadline);
      const confirm = await this.connection.publishAlone(messageOf(delivery), deadline);
      if (typeof confirm === 'object' && confirm.scope === 'missing') this.connection.redeclare();
      return this.outcomeOf(confirm, delivery);
    } finally {
      deadline.clear();
    }
  }

  private async publishTogether(
    channel: PublishChannel,
    delivery: DueDelivery,
    deadline: Deadline,
  ): Promise<Outcome> {
    const confirm = await Promise.race([channel.publish(messageOf(delivery)), deadline.passed]);
    if (confirm === 'late') this.connection.replaceSilent(channel, deadline.sinceMs);
    if (confirm === 'suspected') this.refusals.suspect(delivery);
    return this.outcomeOf(confirm, delivery);
  }

  /** Does not store a success at the first attempt, as nearly all are: the delivery's row shows it. */
  private outcomeOf(confirm: Confirm | 'late' | 'aborted', delivery: DueDelivery): Outcome {
    if (typeof confirm === 'object') {
      this.refusals.noteRefused(delivery, confirm);
      return refused(confirm.words);
    }
    const { type, attempts } = delivery;
    switch (confirm) {
      case 'unroutable':
        this.refusals.noteTaken(delivery);
        return this.unroutableOutcome(delivery);
      case 'nacked':
        this.unroutable.forget(type);
        this.refusals.noteTaken(delivery);
        this.refusals.noteNacked(delivery);
        return failed('nack');
      case 'routed':
        this.unroutable.forget(type);
        this.refusals.noteRouted(delivery);
        return attempts === 0 ? DELIVERED : { ...DELIVERED, isStored: true };
      case 'aborted':
      case 'late':
      case 'lost':
      case 'suspected':
    }
    return HELD;
  }

  /** While the broker refuses the queue for all events, an event that no other queue takes waits for it. */
  private unroutableOutcome({ type, attempts }: DueDelivery): Outcome {
    const why = this.connection.afterUnroutable();
    if (why !== null) return refused(why);
    this.unroutable.noteUnroutable(type, attempts === 0);
    return failed('unroutable');
  }
}

function failed(failure: RabbitmqFailure): Failed {
  return { kind: 'failed', failure, httpStatus: null, retryAfterMs: null, isStored: true };
}

/** `words` are the broker's; the attempt keeps them. */
function refused(words: string): Failed {
  return { ...failed('broker_refused'), trace: { address: null, excerpt: words } };
}
