import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Webhook } from 'standardwebhooks';

import { readEvent, type ArrivedEvent } from './arrived-event.ts';

const MAX_BODY_BYTES = 1_048_576;

/** What became of one webhook at the shop. `refused`: answered 503 on purpose, so that it is sent again. */
export type Receipt = 'accepted' | 'retried' | 'again' | 'refused' | 'forged';

/** A shop's backend: verifies the signature over the raw body, books each id once, answers 204. */
export class Shop {
  forged = 0;
  private refusedId: string | null = null;
  private secret: string | null = null;
  private readonly server: Server;

  constructor(
    /** Answers whether the event is new to the shop. */
    private readonly book: (event: ArrivedEvent) => boolean,
    private readonly onReceipt: (receipt: Receipt, event: ArrivedEvent | null) => void,
  ) {
    this.server = createServer((request, response) => {
      this.receive(request, response).catch(() => response.destroy());
    });
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(0, '127.0.0.1', resolve);
    });
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/webhooks/paybell`;
  }

  trust(secret: string): void {
    this.secret = secret;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const event = this.verify(body, request);
    const receipt = event === null ? 'forged' : this.settle(event);
    if (receipt === 'forged') this.forged += 1;
    response.writeHead({ accepted: 204, retried: 204, again: 204, refused: 503, forged: 401 }[receipt]).end();
    this.onReceipt(receipt, event);
  }

  /** The signature covers the bytes as they came: parse only after it holds. */
  private verify(body: string, { headers }: IncomingMessage): ArrivedEvent | null {
    if (this.secret === null) return null;
    try {
      new Webhook(this.secret).verify(body, headers as Record<string, string>);
    } catch {
      return null;
    }
    const event = readEvent(body);
    return event.id === headers['webhook-id'] ? event : null;
  }

  private settle(event: ArrivedEvent): Exclude<Receipt, 'forged'> {
    // One first attempt is turned away, to show that it comes again.
    if (this.refusedId === null && event.type === 'payment.completed') {
      this.refusedId = event.id;
      return 'refused';
    }
    if (!this.book(event)) return 'again';
    return event.id === this.refusedId ? 'retried' : 'accepted';
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error('The webhook is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
