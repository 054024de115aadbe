import { Injectable } from '@nestjs/common';

import { fractionOf } from '../../domain/payment/amount.ts';
import type { QuoteRequest } from '../../domain/payment/quote.ts';
import { InvalidField } from '../../platform/http/invalid-field.ts';
import { ChainLists } from './chain-lists.ts';
import { TokenDecimals } from './token-decimals.ts';

/** Rejects requests with an unknown chain or too many fraction digits, as far as the chains and tokens are known. */
@Injectable()
export class RequestCheck {
  constructor(
    private readonly chains: ChainLists,
    private readonly decimals: TokenDecimals,
  ) {}

  /** Throws InvalidField. */
  async check(request: QuoteRequest): Promise<void> {
    this.checkAmount(request);
    const known = await this.chains.ids();
    if (known === null) return;
    const unknown = (['fromChainId', 'toChainId'] as const).filter((field) => !known.has(request[field]));
    const [first, ...more] = unknown.map((field) => ({
      field,
      message: 'must be a chain of GET /api/chains',
    }));
    if (first !== undefined) throw new InvalidField(first.field, first.message, ...more);
  }

  private checkAmount({ amountIs, amount, ...request }: QuoteRequest): void {
    const decimals =
      amountIs === 'receive'
        ? this.decimals.of(request.toChainId, request.toToken)
        : this.decimals.of(request.fromChainId, request.fromToken);
    if (decimals === null || fractionOf(amount).length <= decimals) return;
    throw new InvalidField('amount', `must have at most ${decimals} fraction digits, as its token has`);
  }
}
