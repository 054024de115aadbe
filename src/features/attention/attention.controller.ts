import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { ACCESS, Allow } from '../../platform/http/access.ts';
import { AttentionView } from './attention-view.ts';
import { AttentionAnswer } from './attention.dto.ts';

/** Returns the items that need a person. */
@ApiTags('Operations')
@Controller('api/attention')
export class AttentionController {
  constructor(private readonly view: AttentionView) {}

  @Get()
  @Allow(ACCESS.inspect)
  @ApiOperation({
    operationId: 'getAttention',
    summary: 'What needs a person: counts with links, the money in flight, and the running replicas',
  })
  @ApiOkResponse({ type: AttentionAnswer })
  read(): Promise<AttentionAnswer> {
    return this.view.read();
  }
}
