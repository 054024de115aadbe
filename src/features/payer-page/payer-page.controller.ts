import { Controller, Get, HttpCode, Options, Param, Req, Res, UseGuards } from '@nestjs/common';
import {
  ApiExcludeEndpoint,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';

import { Open } from '../../platform/http/open-route.ts';
import { StateStreams } from '../../platform/http/state-streams.ts';
import { LinkNotFound, PayerAccess } from './payer-access.ts';
import { clientOf, PayerGate } from './payer-gate.ts';
import { PayerAnswer } from './payer-page.dto.ts';

const NO_CONTENT = 204;
const A_STREAM = {
  description:
    'Server-Sent Events without a name and an id: `data` is what the other operation answers, at the beginning and after each change. It ends after an hour, or with the link.',
  content: { 'text/event-stream': { schema: { type: 'string' } } },
} as const;

/** Shows a payer the payment of a link, without a key. */
@Open()
@UseGuards(PayerGate)
@ApiTags('Payers')
@Controller('public/payments')
export class PayerPageController {
  constructor(
    private readonly access: PayerAccess,
    private readonly streams: StateStreams,
  ) {}

  @Options([':token', ':token/stream'])
  @HttpCode(NO_CONTENT)
  @ApiExcludeEndpoint()
  preflight(): void {
    // The gate has set the headers.
  }

  @Get(':token')
  @ApiOperation({ operationId: 'getPayerPayment', summary: "The payment of a payer's link" })
  @ApiParam({ name: 'token' })
  @ApiExtraModels(PayerAnswer)
  @ApiOkResponse({ type: PayerAnswer })
  async one(@Param('token') token: string, @Req() request: Request): Promise<PayerAnswer> {
    const link = await this.access.linkOf(token, request.originalUrl);
    const view = await this.access.viewOf(link);
    if (view === null) throw new LinkNotFound();
    return view;
  }

  @Get(':token/stream')
  @ApiOperation({
    operationId: 'streamPayerPayment',
    summary: "The payment of a payer's link, now and after each change, as Server-Sent Events",
  })
  @ApiParam({ name: 'token' })
  @ApiOkResponse(A_STREAM)
  async stream(
    @Param('token') token: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const link = await this.access.linkOf(token, request.originalUrl);
    const isOpen = await this.streams.open(request, response, {
      quoteId: link.quoteId,
      client: clientOf(request),
      lastsMs: this.access.leftMs(link),
      read: async () => {
        const view = await this.access.viewOf(link);
        return view === null ? null : JSON.stringify(view);
      },
      isAllowed: () => this.access.isAllowed(link),
      // One check covers all links of one key.
      accessId: `payer ${link.keyHash}`,
    });
    if (!isOpen) throw new LinkNotFound();
  }
}
