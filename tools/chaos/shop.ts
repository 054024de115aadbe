import { Webhook } from 'standardwebhooks';

import { HttpReceiver, type ReceivedRequest, type ScriptedAnswer } from '../testkit/http-receiver.ts';
import type { Consumer, Ledger } from './ledger.ts';
import type { Sickness } from './plan.ts';

/** A shop's webhook endpoint: verifies each signature by the published library, books the event, answers 204. */
export class Shop {
  private sickness: Sickness | null = null;
  private webhook: Webhook | null = null;

  private constructor(
    private readonly receiver: HttpReceiver,
    private readonly name: Consumer,
    private readonly ledger: Ledger,
  ) {}

  static async open(name: Consumer, ledger: Ledger): Promise<Shop> {
    const receiver = await HttpReceiver.start(undefined, { keepsRequests: false });
    const shop = new Shop(receiver, name, ledger);
    receiver.answer((request) => shop.receive(request));
    return shop;
  }

  get port(): number {
    return this.receiver.port;
  }

  trust(secret: string): void {
    this.webhook = new Webhook(secret);
  }

  /** Starts this sickness, which lasts until a call with null. */
  fall(sickness: Sickness | null): void {
    this.sickness = sickness;
  }

  close(): Promise<void> {
    return this.receiver.close();
  }

  private receive({ text, headers }: ReceivedRequest): ScriptedAnswer | 'hang' | 'reset' {
    const id = String(headers['webhook-id']);
    try {
      this.webhook?.verify(text, headers as Record<string, string>);
    } catch (error) {
      const ageS = Date.now() / 1_000 - Number(headers['webhook-timestamp']);
      this.ledger.refuse(`${this.name}: ${id}, ${(error as Error).message}, ${ageS.toFixed(0)} s old`);
      return { status: 401 };
    }
    // A shop may do its work and then fail to answer: every received event counts.
    this.ledger.book(this.name, text);
    if (this.sickness === null) return { status: 204 };
    return this.sickness === 'fail' ? { status: 503 } : this.sickness;
  }
}
