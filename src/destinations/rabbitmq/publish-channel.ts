import type { ConfirmChannel } from 'amqplib';

import { reasonOf } from './broker-error.ts';
import type { EventMessage } from './event-message.ts';
import type { ManagedChannel } from './reconnecting-connection.ts';
import { refusalOf, type Refusal } from './refusal.ts';

/** The most unconfirmed messages: more would raise the latency, not the throughput. */
export const MAX_UNCONFIRMED = 200;

/**
 * The broker's answer to one publish. `lost`: the channel ended before the answer. `suspected`: the channel ended because
 * this message or another one was refused, and the broker's words do not say which.
 */
export type Confirm = 'routed' | 'unroutable' | 'nacked' | 'lost' | 'suspected' | Refusal;

interface InFlight {
  isReturned: boolean;
  readonly routingKey: string;
  readonly confirmed: Promise<Confirm>;
  readonly settle: (confirm: Confirm) => void;
}

/**
 * A confirm channel and its unconfirmed messages: each publish resolves with the broker's answer, or as lost if the channel
 * ends.
 */
export class PublishChannel implements ManagedChannel {
  /** Resolves when the channel ends, with the reason if the channel itself is the cause. */
  readonly ended: Promise<string | null>;
  private readonly inFlight = new Map<string, InFlight>();
  /** True: the broker refused a message that was published on the channel. */
  isEndedByMessage = false;
  private reason: string | null = null;
  private refusal: Refusal | null = null;
  private isOpen = true;
  private hasConfirmed = false;
  private resolveEnded!: (reason: string | null) => void;

  constructor(
    private readonly channel: ConfirmChannel,
    private readonly exchange: string,
    /**
     * The refusal because of which the broker closed the whole connection; null: the connection is open, or another channel is
     * the cause.
     */
    refusalOfConnection: () => Refusal | null,
  ) {
    this.ended = new Promise((resolve) => (this.resolveEnded = resolve));
    channel.on('error', (error) => {
      this.reason = reasonOf(error);
      this.refusal = refusalOf(error);
    });
    channel.on('return', (message) => this.onReturn(message.properties.messageId));
    // Runs before amqplib's own listener, which would reject the unconfirmed messages of a closed channel like nacks.
    channel.prependListener('close', () => this.end(this.reason, this.refusal ?? refusalOfConnection()));
  }

  /** True once the broker has confirmed a message on this channel. */
  get isProven(): boolean {
    return this.hasConfirmed;
  }

  /** False while MAX_UNCONFIRMED messages are unconfirmed, unless this message is one of them. */
  hasRoomFor(messageId: string): boolean {
    return this.inFlight.size < MAX_UNCONFIRMED || this.inFlight.has(messageId);
  }

  /** Never rejects. An event that is still unconfirmed is not sent again: both callers share its confirm. */
  publish(message: EventMessage): Promise<Confirm> {
    const shared = this.inFlight.get(message.id);
    if (shared !== undefined) return shared.confirmed;
    if (!this.isOpen) return Promise.resolve('lost');
    const entry = inFlight(message.routingKey);
    try {
      // Ignores the returned back pressure: MAX_UNCONFIRMED bounds the buffer.
      this.channel.publish(
        this.exchange,
        message.routingKey,
        message.body,
        message.options,
        (error: unknown) => this.onConfirm(message.id, entry, error === null),
      );
    } catch {
      return Promise.resolve(this.isOpen ? 'nacked' : 'lost');
    }
    this.inFlight.set(message.id, entry);
    return entry.confirmed;
  }

  /** Ends the channel: nothing more is published, and unconfirmed messages are lost, or refused. */
  end(reason: string | null, refusal: Refusal | null = null): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.isEndedByMessage = refusal !== null && this.inFlight.size > 0;
    const entries = [...this.inFlight.values()];
    const refused = refusal === null ? new Set() : new Set(refusedAmong(entries, refusal));
    const others = refusal === null || refused.size > 0 ? 'lost' : 'suspected';
    for (const entry of entries) entry.settle(refused.has(entry) && refusal !== null ? refusal : others);
    this.inFlight.clear();
    this.resolveEnded(reason);
  }

  /** Resolves when the messages that are unconfirmed now are settled. */
  async idle(): Promise<void> {
    await Promise.all([...this.inFlight.values()].map((entry) => entry.confirmed));
  }

  /** Closes the channel at the broker, which answers after it has handled all messages of the channel. */
  async close(): Promise<void> {
    this.end(null);
    await this.channel.close();
  }

  /** The broker returns a message before it confirms it. An id is never in flight twice. */
  private onReturn(messageId: unknown): void {
    const entry = this.inFlight.get(String(messageId));
    if (entry !== undefined) entry.isReturned = true;
  }

  private onConfirm(messageId: string, entry: InFlight, isAck: boolean): void {
    if (!this.isOpen) return;
    this.hasConfirmed = true;
    this.inFlight.delete(messageId);
    entry.settle(isAck ? (entry.isReturned ? 'unroutable' : 'routed') : 'nacked');
  }
}

/** The messages that the refusal concerns; none if the broker's words do not name them. */
function refusedAmong(entries: readonly InFlight[], { scope, topic }: Refusal): readonly InFlight[] {
  if (entries.length <= 1 || scope === 'exchange') return entries;
  if (scope === 'topic') return entries.filter(({ routingKey }) => routingKey === topic);
  // The next channel declares the exchange again, so that only one attempt fails.
  return scope === 'missing' ? entries.slice(0, 1) : [];
}

function inFlight(routingKey: string): InFlight {
  let settle!: (confirm: Confirm) => void;
  const confirmed = new Promise<Confirm>((resolve) => (settle = resolve));
  return { isReturned: false, routingKey, confirmed, settle };
}
