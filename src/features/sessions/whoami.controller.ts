import { Controller, Get, Req } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';

import { ACCESS, Allow } from '../../platform/http/access.ts';
import type { KeyedRequest } from '../../platform/http/keyed-request.ts';
import { VERSION } from '../../platform/version.ts';
import { ProviderCells } from '../../ports/provider-cell.ts';
import { endOf } from '../../ports/sessions.ts';
import { Whoami } from './sessions.dto.ts';

/** Tells a client who it is. */
@ApiTags('Access')
@Controller('api/whoami')
@Allow(ACCESS.read)
export class WhoamiController {
  constructor(private readonly cells: ProviderCells) {}

  @Get()
  @ApiOperation({
    operationId: 'getWhoami',
    summary: 'The API key of this request, and the session if there is one',
  })
  read(@Req() { apiKeyName = '', role = 'shop', session }: KeyedRequest): Whoami {
    return {
      name: apiKeyName,
      role,
      via: session === undefined ? 'key' : 'session',
      expiresAt: session?.expiresAt ?? null,
      idleUntil: session === undefined ? null : endOf(session),
      providers: this.cells.names,
      sandbox: this.cells.preferred.provider.isSimulated,
      version: VERSION,
    };
  }
}
