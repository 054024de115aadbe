import { connect, type ChannelModel, type ConfirmChannel, type SocketOptions } from 'amqplib';

import type { BrokerAddress } from './broker-address.ts';
import { isRefused, reasonOf } from './broker-error.ts';
import { refusalOf, type Refusal } from './refusal.ts';

const KEEP_ALIVE_AFTER_MS = 10_000;

export interface LinkListener {
  onBlocked(reason: string): void;
  onUnblocked(): void;
}

/** One connection to the broker; every operation on it has a time limit. */
export class BrokerLink {
  isOpen = true;
  isBlocked = false;
  /** Why the connection ended. */
  reason = 'the connection was closed';
  /** Set if the broker closed the connection because of a frame that it refuses. */
  refusal: Refusal | null = null;
  /** True: the broker closed the connection, so it is there. */
  isRefused = false;
  private unblockedAtMs = Number.NEGATIVE_INFINITY;

  private constructor(
    private readonly model: ChannelModel,
    private readonly socket: AbortController,
    listener: LinkListener,
  ) {
    // An 'error' without a listener would end the process; a 'close' follows each 'error'.
    model.on('error', (error) => {
      this.reason = reasonOf(error);
      this.refusal = refusalOf(error);
      this.isRefused = this.refusal !== null || isRefused(error);
    });
    model.on('close', (error) => {
      this.isOpen = false;
      if (error !== undefined) this.reason = reasonOf(error);
    });
    model.on('blocked', (reason) => {
      this.isBlocked = true;
      listener.onBlocked(reason);
    });
    model.on('unblocked', () => {
      this.isBlocked = false;
      this.unblockedAtMs = performance.now();
      listener.onUnblocked();
    });
  }

  static async open(
    address: BrokerAddress,
    name: string,
    listener: LinkListener,
    limitMs: number,
    signal: AbortSignal,
  ): Promise<BrokerLink> {
    const socket = new AbortController();
    // Only this signal can destroy amqplib's socket: `close` without it leaves a socket with a silent peer open for minutes.
    const options: SocketOptions & { signal: AbortSignal } = {
      noDelay: true,
      keepAlive: true,
      keepAliveDelay: KEEP_ALIVE_AFTER_MS,
      credentials: address.credentials,
      clientProperties: { connection_name: name },
      signal: socket.signal,
      ...(address.ca === null ? {} : { ca: address.ca }),
    };
    const connecting = connect(address.url, options).then((model) => new BrokerLink(model, socket, listener));
    return within(limitMs, signal, connecting, () => socket.abort());
  }

  async openChannel(limitMs: number, signal: AbortSignal): Promise<ConfirmChannel> {
    return this.within(limitMs, signal, this.model.createConfirmChannel());
  }

  /** Waits for the broker's answer. If the answer is late or the signal aborts, cuts the connection and rejects. */
  async within<T>(limitMs: number, signal: AbortSignal, answer: Promise<T>): Promise<T> {
    return within(limitMs, signal, answer, () => this.cut());
  }

  /**
   * Closes the channel, so that the broker handles its messages before those of the next channel. Cuts the connection if the
   * answer is late or the signal aborts.
   */
  async leave(
    channel: { close(): Promise<void> },
    limitMs: number,
    signal = new AbortController().signal,
  ): Promise<void> {
    if (this.isOpen) await this.within(limitMs, signal, channel.close()).catch(() => undefined);
  }

  wasBlockedSince(atMs: number): boolean {
    return this.isBlocked || this.unblockedAtMs > atMs;
  }

  /** Closes the connection gracefully, within the limit. */
  async close(limitMs: number): Promise<void> {
    if (!this.isOpen) return;
    await this.within(limitMs, new AbortController().signal, this.model.close()).catch(() => undefined);
  }

  /** Destroys the socket at once, in any state. */
  cut(): void {
    this.socket.abort();
  }
}

/** Rejects after the limit: amqplib never settles a `close` if the connection ends meanwhile. */
function within<T>(limitMs: number, signal: AbortSignal, answer: Promise<T>, cut: () => void): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const giveUp = (): void => {
      cut();
      reject(new NoAnswer());
    };
    const timer = setTimeout(giveUp, limitMs);
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    };
    answer.finally(done).then(resolve, reject);
  });
}

/** The broker did not answer in time. */
class NoAnswer extends Error {
  readonly code = 'ETIMEDOUT';
}
