import type { Carried, Carrier } from '../stand-in/carriers.ts';
import { Playable } from './provider.ts';
import type { Step, Story } from './stories.ts';

/** A payment at the stand-in of a provider with its own API: Paybell itself makes the reports about it. */
export class CarriedPayment extends Playable {
  readonly answers = null;

  constructor(
    private readonly carrier: Carrier,
    private readonly payment: Carried,
    story: Story,
  ) {
    super(payment.quoteId, story);
  }

  protected take({ status }: Step): void {
    const { carrier, payment } = this;
    if (status === 'DEPOSIT_RECEIVED') carrier.pay(payment);
    else if (status === 'EXECUTING') carrier.execute(payment);
    else if (status === 'COMPLETED') carrier.complete(payment);
    else if (status === 'FAILED') carrier.sendBack(payment);
    else throw new Error(`no move of ${carrier.name} leads to ${status}`);
  }
}
