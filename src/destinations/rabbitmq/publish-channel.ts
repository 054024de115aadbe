import type { ConfirmChannel } from 'amqplib';

import { reasonOf } from './broker-error.ts';
import type { EventMessage } from './event-message.ts';
import type { KeptChannel } from './reconnecting-connection.ts';

/** Unconfirmed at once: beyond it only the latency grows. */
export const WINDOW = 200;

/** The broker's word about one publish; `lost`: the channel ended before it came. */
export type Confirm = 'routed' | 'unroutable' | 'nacked' | 'lost';

interface InFlight {
  isReturned: boolean;
  readonly confirmed: Promise<Confirm>;
  readonly settle: (confirm: Confirm) => void;
}

/** One confirm channel and what is unconfirmed on it: each publish ends with the broker's word or with the channel. */
export class PublishChannel implements KeptChannel {
  /** Resolves once nothing more can be published here, with the reason where it lies in the channel. */
  readonly ended: Promise<string | null>;
  private readonly inFlight = new Map<string, InFlight>();
  private reason: string | null = null;
  private isOpen = true;
  private hasConfirmed = false;
  private reportEnd!: (reason: string | null) => void;

  constructor(
    private readonly channel: ConfirmChannel,
    private readonly exchange: string,
  ) {
    this.ended = new Promise((resolve) => (this.reportEnd = resolve));
    channel.on('error', (error) => (this.reason = reasonOf(error)));
    channel.on('return', (message) => this.noteReturn(message.properties.messageId));
    // Ahead of amqplib's own listener, which would report what is in flight on a closed channel as it does a nack.
    channel.prependListener('close', () => this.end(this.reason));
  }

  /** True once the broker has confirmed anything here. */
  get isProven(): boolean {
    return this.hasConfirmed;
  }

  /** False while the window is full, but for an event that is in it; what a blocked broker left unconfirmed counts. */
  hasRoomFor(messageId: string): boolean {
    return this.inFlight.size < WINDOW || this.inFlight.has(messageId);
  }

  /** Never rejects. An event still unconfirmed here is not sent twice: the second caller shares the first's confirm. */
  publish(message: EventMessage): Promise<Confirm> {
    const shared = this.inFlight.get(message.id);
    if (shared !== undefined) return shared.confirmed;
    if (!this.isOpen) return Promise.resolve('lost');
    const entry = inFlight();
    try {
      // What it answers about back pressure is not needed: the window of unconfirmed deliveries bounds the buffer.
      this.channel.publish(
        this.exchange,
        message.routingKey,
        message.body,
        message.options,
        (error: unknown) => this.noteConfirm(message.id, entry, error === null),
      );
    } catch {
      return Promise.resolve(this.isOpen ? 'nacked' : 'lost');
    }
    this.inFlight.set(message.id, entry);
    return entry.confirmed;
  }

  /** Everything in flight is lost, and nothing more is taken. */
  end(reason: string | null): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    for (const entry of this.inFlight.values()) entry.settle('lost');
    this.inFlight.clear();
    this.reportEnd(reason);
  }

  /** Resolves once nothing is in flight. */
  async idle(): Promise<void> {
    await Promise.all([...this.inFlight.values()].map((entry) => entry.confirmed));
  }

  /** Closes the channel at the broker; at its answer, all that was published here has been handled there. */
  async close(): Promise<void> {
    this.end(null);
    await this.channel.close();
  }

  /** The broker returns a message before it confirms it, and no two of one id are in flight here. */
  private noteReturn(messageId: unknown): void {
    const entry = this.inFlight.get(String(messageId));
    if (entry !== undefined) entry.isReturned = true;
  }

  private noteConfirm(messageId: string, entry: InFlight, isAck: boolean): void {
    if (!this.isOpen) return;
    this.hasConfirmed = true;
    this.inFlight.delete(messageId);
    entry.settle(isAck ? (entry.isReturned ? 'unroutable' : 'routed') : 'nacked');
  }
}

function inFlight(): InFlight {
  let settle!: (confirm: Confirm) => void;
  const confirmed = new Promise<Confirm>((resolve) => (settle = resolve));
  return { isReturned: false, confirmed, settle };
}
