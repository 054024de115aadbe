import { Attention } from '../../../src/ports/attention.ts';

/** Keeps who was asked for. */
export class FakeAttention extends Attention {
  readonly hinted: string[] = [];

  hint(quoteId: string): void {
    this.hinted.push(quoteId);
  }
}
