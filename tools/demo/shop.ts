import { Webhook } from 'standardwebhooks';

import { HttpReceiver, type ReceivedRequest, type ScriptedAnswer } from '../testkit/http-receiver.ts';
import { readEvent, type ArrivedEvent } from './arrived-event.ts';

/** The result of one webhook at the shop. `refused`: answered 503 on purpose, so that Paybell sends it again. */
export type Receipt = 'accepted' | 'retried' | 'again' | 'refused' | 'forged';

const STATUS = { accepted: 204, retried: 204, again: 204, refused: 503, forged: 401 } as const;

/** A shop's backend: verifies the signature over the raw body, books each id once, answers 204. */
export class Shop {
  forged = 0;
  private refusedId: string | null = null;
  private secret: string | null = null;
  private receiver: HttpReceiver | null = null;

  constructor(
    /** Answers whether the event is new to the shop. */
    private readonly book: (event: ArrivedEvent) => boolean,
    private readonly onReceipt: (receipt: Receipt, event: ArrivedEvent | null) => void,
  ) {}

  async open(): Promise<string> {
    this.receiver = await HttpReceiver.start((request) => this.receive(request), { keepsRequests: false });
    return `${this.receiver.url}/webhooks/paybell`;
  }

  trust(secret: string): void {
    this.secret = secret;
  }

  async close(): Promise<void> {
    await this.receiver?.close();
  }

  private receive(request: ReceivedRequest): ScriptedAnswer {
    const event = this.verify(request);
    const receipt = event === null ? 'forged' : this.settle(event);
    if (receipt === 'forged') this.forged += 1;
    this.onReceipt(receipt, event);
    return { status: STATUS[receipt] };
  }

  /** The signature covers the received bytes: the shop parses them only after the check. */
  private verify({ text, headers }: ReceivedRequest): ArrivedEvent | null {
    if (this.secret === null) return null;
    try {
      new Webhook(this.secret).verify(text, headers as Record<string, string>);
    } catch {
      return null;
    }
    const event = readEvent(text);
    return event.id === headers['webhook-id'] ? event : null;
  }

  private settle(event: ArrivedEvent): Exclude<Receipt, 'forged'> {
    // Refuses one first attempt, to show that Paybell repeats it.
    if (this.refusedId === null && event.type === 'payment.completed') {
      this.refusedId = event.id;
      return 'refused';
    }
    if (!this.book(event)) return 'again';
    return event.id === this.refusedId ? 'retried' : 'accepted';
  }
}
