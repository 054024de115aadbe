import type { IncomingHttpHeaders } from 'node:http';

import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';

import { Open } from '../../../platform/http/open-route.ts';
import { RelayNotices } from './relay-notices.ts';

interface NoticeRequest {
  readonly headers: IncomingHttpHeaders;
  /** A Buffer: see platform/http/notice-body.ts. Undefined when the request has no body. */
  readonly body?: unknown;
}

const NO_BYTES = Buffer.alloc(0);

/** Receives Relay's notices. They are signed, and so need no API key of ours. */
@Open()
@ApiExcludeController()
@Controller('provider/relay/webhook')
export class RelayNoticeController {
  constructor(private readonly notices: RelayNotices) {}

  @Post()
  @HttpCode(200)
  async take(@Req() request: NoticeRequest): Promise<{ success: true }> {
    await this.notices.take(request.headers, Buffer.isBuffer(request.body) ? request.body : NO_BYTES);
    return { success: true };
  }
}
