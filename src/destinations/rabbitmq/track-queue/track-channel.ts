import { randomUUID } from 'node:crypto';

import type { ConfirmChannel, ConsumeMessage } from 'amqplib';

import { reasonOf } from '../broker-error.ts';
import type { KeptChannel } from '../reconnecting-connection.ts';
import { copyOf, type OwnHeaders } from './moved-message.ts';

export interface TrackChannelOptions {
  /** For the broker's word about a copy. */
  readonly confirmMs: number;
  /** Whether the broker's silence is explained by a block. */
  readonly wasBlockedSince: (atMs: number) => boolean;
}

/** The channel that messages of the track queue come on: each is acknowledged, or copied to another queue before that. */
export class TrackChannel implements KeptChannel {
  readonly ended: Promise<string | null>;
  isProven = false;
  private readonly over = new AbortController();
  private reason: string | null = null;
  private consumer: string | null = null;
  private reportEnd!: (reason: string | null) => void;

  constructor(
    private readonly channel: ConfirmChannel,
    private readonly options: TrackChannelOptions,
  ) {
    this.ended = new Promise((resolve) => (this.reportEnd = resolve));
    channel.on('error', (error) => (this.reason = reasonOf(error)));
    // It comes before the confirm of the copy, which then counts for nothing.
    channel.on('return', () => this.end('the queue that a message was moved to is gone'));
    channel.prependListener('close', () => this.end(this.reason));
  }

  get isOpen(): boolean {
    return !this.over.signal.aborted;
  }

  /** Aborted once nothing more can be done here. */
  get signal(): AbortSignal {
    return this.over.signal;
  }

  /** Takes messages, of which so many may be unacknowledged at once. One consumer at a time. */
  async consume(queue: string, prefetch: number, take: (message: ConsumeMessage) => void): Promise<void> {
    // Known before the broker answers, so that it can be cancelled at any time.
    const consumerTag = randomUUID();
    this.consumer = consumerTag;
    await this.channel.prefetch(prefetch);
    const onMessage = (message: ConsumeMessage | null): void => {
      if (message === null) this.end(`the queue "${queue}" was deleted`);
      else take(message);
    };
    await this.channel.consume(queue, onMessage, { consumerTag });
  }

  /** No more messages come; what came can still be acknowledged. */
  async cancel(): Promise<void> {
    const { consumer } = this;
    this.consumer = null;
    if (this.isOpen && consumer !== null) await this.channel.cancel(consumer);
  }

  /** Takes the message off its queue. */
  ack(message: ConsumeMessage): void {
    if (!this.isOpen) return;
    this.channel.ack(message);
    this.isProven = true;
  }

  /** Copies the message to a queue, and takes it off its own once the broker has the copy; answers whether it has. */
  async move(message: ConsumeMessage, queue: string, headers: OwnHeaders): Promise<boolean> {
    if (!this.isOpen) return false;
    const isCopied = await this.copy(message, queue, headers);
    if (isCopied) this.ack(message);
    return isCopied && this.isOpen;
  }

  end(reason: string | null): void {
    if (!this.isOpen) return;
    this.over.abort();
    this.reportEnd(reason);
  }

  /** At the broker's answer it has all acknowledgements: those that a connection's end overtakes would be lost. */
  async close(): Promise<void> {
    await this.channel.close();
  }

  private async copy(message: ConsumeMessage, queue: string, headers: OwnHeaders): Promise<boolean> {
    const confirmed = new Promise<boolean>((resolve) => {
      const notify = (error: unknown): void => resolve(error === null && this.isOpen);
      try {
        this.channel.sendToQueue(queue, message.content, copyOf(message, headers), notify);
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

  /** A silent channel is replaced, a blocked one only waited for. */
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
