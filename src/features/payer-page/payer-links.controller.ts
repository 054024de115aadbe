import { Controller, Header, Param, Post, Req } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';

import { whyMissing } from '../adoption/unknown-payment.ts';
import { ACCESS, Allow, Audited } from '../../platform/http/access.ts';
import { OnlyBodyFields } from '../../platform/http/body-fields.ts';
import { InvalidField } from '../../platform/http/invalid-field.ts';
import type { KeyedRequest } from '../../platform/http/keyed-request.ts';
import { PublicOrigin } from '../../platform/http/public-origin.ts';
import { QuoteIdPipe } from '../../platform/http/quote-id.pipe.ts';
import { Clock } from '../../ports/clock.ts';
import { PayerLinks } from '../../ports/payer-links.ts';
import { Payments } from '../../ports/payments.ts';
import { DEFAULT_AFTER_QUOTE_SECONDS, LinkAnswer, LinkBody, MAX_EXPIRES_IN } from './payer-page.dto.ts';

/** Creates the link by which a payer sees a payment without a key. */
@ApiTags('Payments')
@Controller('api/payments/:quoteId/link')
export class PayerLinksController {
  constructor(
    private readonly payments: Payments,
    private readonly links: PayerLinks,
    private readonly origin: PublicOrigin,
    private readonly clock: Clock,
  ) {}

  @Post()
  @Allow(ACCESS.submit)
  @Audited('payment.link')
  @Header('cache-control', 'no-store')
  @ApiOperation({
    operationId: 'createPaymentLink',
    summary: 'Make a link that shows a payer the payment without a key',
    description:
      'The link is stored nowhere. It ends at `expiresAt`, or when the API key that made it is revoked: docs/using/payer-page.md.',
  })
  @ApiParam({ name: 'quoteId' })
  @ApiBody({ type: LinkBody, required: false })
  @ApiCreatedResponse({ type: LinkAnswer })
  async create(
    @Param('quoteId', QuoteIdPipe) id: string,
    @OnlyBodyFields(LinkBody) { expiresIn }: LinkBody,
    @Req() request: KeyedRequest,
  ): Promise<LinkAnswer> {
    const origin = this.origin.of(request);
    if (origin === null) throw new InvalidField('host', 'must be one that a URL can have, or set PUBLIC_URL');
    const payment = await this.payments.read(id);
    if (typeof payment === 'string') throw whyMissing(payment);
    const { quoteId, expiresAt: quoteEndsAt } = payment;
    const expiresAt = endOf(this.clock.now(), expiresIn ?? null, quoteEndsAt);
    const token = this.links.seal({ quoteId, keyHash: request.keyHash ?? '', expiresAt });
    return { url: `${origin}/public/payments/${token}`, expiresAt };
  }
}

/** The end of a link in whole seconds, like in its token. */
function endOf(now: Date, expiresIn: number | null, quoteEndsAt: Date | null): Date {
  const nowSeconds = Math.floor(now.getTime() / 1_000);
  const quoteSeconds = Math.floor((quoteEndsAt ?? now).getTime() / 1_000);
  const byDefault = Math.max(quoteSeconds - nowSeconds, 0) + DEFAULT_AFTER_QUOTE_SECONDS;
  return new Date((nowSeconds + Math.min(expiresIn ?? byDefault, MAX_EXPIRES_IN)) * 1_000);
}
