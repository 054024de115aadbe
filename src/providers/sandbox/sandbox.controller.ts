import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { ACCESS, Allow, Audited } from '../../platform/http/access.ts';
import { SandboxProvider } from './sandbox-provider.ts';
import type { SandboxStatus } from './sandbox-status.ts';

/** Lets a tester act as the payer; only with PROVIDER=sandbox. */
@ApiTags('Sandbox')
@Allow(ACCESS.submit)
@Controller('sandbox/payments')
export class SandboxController {
  constructor(private readonly provider: SandboxProvider) {}

  @Post(':quoteId/deposit')
  @Audited('sandbox.deposit')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'createSandboxDeposit',
    summary: 'Make the deposit of a sandbox payment now, and return its status object',
  })
  @ApiOkResponse({ schema: { type: 'object', additionalProperties: true } })
  deposit(@Param('quoteId') quoteId: string): Promise<SandboxStatus> {
    return this.provider.deposit(quoteId);
  }
}
