import { randomUUID } from 'node:crypto';

import type { ConfirmChannel, ConsumeMessage } from 'amqplib';

import { reasonOf } from '../broker-error.ts';
import type { ManagedChannel } from '../reconnecting-connection.ts';
import { copyOf, type OwnHeaders } from './message-copy.ts';

export interface TrackChannelOptions {
  /** The time limit for the confirm of a copy. */
  readonly confirmMs: number;
  /** True if the broker has blocked the connection since that time, which explains a missing confirm. */
  readonly wasBlockedSince: (atMs: number) => boolean;
}

/**
 * The channel that consumes the track queue. A message is acknowledged at once, or copied to another queue and then
 * acknowledged.
 */
export class TrackChannel implements ManagedChannel {
  readonly ended: Promise<string | null>;
  isProven = false;
  private readonly over = new AbortController();
  private reason: string | null = null;
  private consumer: string | null = null;
  private resolveEnded!: (reason: string | null) => void;

  constructor(
    private readonly channel: ConfirmChannel,
    private readonly options: TrackChannelOptions,
  ) {
    this.ended = new Promise((resolve) => (this.resolveEnded = resolve));
    channel.on('error', (error) => (this.reason = reasonOf(error)));
    // The broker returns an unroutable copy before confirming it: that confirm must not count.
    channel.on('return', () => this.end('the queue that a message was moved to does not exist'));
    channel.prependListener('close', () => this.end(this.reason));
  }

  get isOpen(): boolean {
    return !this.over.signal.aborted;
  }

  /** Aborted when the channel ends. */
  get signal(): AbortSignal {
    return this.over.signal;
  }

  /** Consumes messages, at most `prefetch` unacknowledged ones. A channel has only one consumer at a time. */
  async consume(queue: string, prefetch: number, take: (message: ConsumeMessage) => void): Promise<void> {
    // A consumer tag of our own, so that the consumer can be cancelled before the broker has answered.
    const consumerTag = randomUUID();
    this.consumer = consumerTag;
    await this.channel.prefetch(prefetch);
    const onMessage = (message: ConsumeMessage | null): void => {
      if (message === null) this.end(`the queue "${queue}" was deleted`);
      else take(message);
    };
    await this.channel.consume(queue, onMessage, { consumerTag });
  }

  /** Stops the delivery of messages; delivered ones can still be acknowledged. */
  async cancel(): Promise<void> {
    const { consumer } = this;
    this.consumer = null;
    if (this.isOpen && consumer !== null) await this.channel.cancel(consumer);
  }

  /** Acknowledges the message, which removes it from its queue. */
  ack(message: ConsumeMessage): void {
    if (!this.isOpen) return;
    this.channel.ack(message);
    this.isProven = true;
  }

  /** Copies the message to a queue, and acknowledges it once the broker has confirmed the copy. True when it has. */
  async move(message: ConsumeMessage, queue: string, headers: OwnHeaders): Promise<boolean> {
    if (!this.isOpen) return false;
    const isCopied = await this.copy(message, queue, headers);
    if (isCopied) this.ack(message);
    return isCopied && this.isOpen;
  }

  end(reason: string | null): void {
    if (!this.isOpen) return;
    this.over.abort();
    this.resolveEnded(reason);
  }

  /** Closes the channel and waits for the broker's answer, so that no acknowledgement is lost at the connection's end. */
  async close(): Promise<void> {
    await this.channel.close();
  }

  private async copy(message: ConsumeMessage, queue: string, headers: OwnHeaders): Promise<boolean> {
    const confirmed = new Promise<boolean>((resolve) => {
      const onConfirm = (error: unknown): void => resolve(error === null && this.isOpen);
      try {
        this.channel.sendToQueue(queue, message.content, copyOf(message, headers), onConfirm);
      } catch {
        resolve(false);
      }
    });
    const stopWatching = this.watchSilence();
    try {
      return await Promise.race([confirmed, this.ended.then(() => false)]);
    } finally {
      stopWatching();
    }
  }

  /** Ends the channel when a confirm is late, unless the broker has blocked the connection. */
  private watchSilence(): () => void {
    const { confirmMs, wasBlockedSince } = this.options;
    let sinceMs = performance.now();
    const timer = setInterval(() => {
      if (!wasBlockedSince(sinceMs)) this.end(`no confirm within ${confirmMs / 1_000} s`);
      sinceMs = performance.now();
    }, confirmMs);
    return () => clearInterval(timer);
  }
}
