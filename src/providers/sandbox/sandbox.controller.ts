import { Controller, HttpCode, Param, Post } from '@nestjs/common';

import { ACCESS, Allow, Audited } from '../../platform/http/access.ts';
import { SandboxProvider } from './sandbox-provider.ts';
import type { SandboxStatus } from './sandbox-status.ts';

/** Lets a tester act as the payer; only with PROVIDER=sandbox. */
@Allow(ACCESS.submit)
@Controller('sandbox/payments')
export class SandboxController {
  constructor(private readonly provider: SandboxProvider) {}

  /** Makes the deposit of a sandbox payment now, and returns its status object. */
  @Post(':quoteId/deposit')
  @Audited('sandbox.deposit')
  @HttpCode(200)
  deposit(@Param('quoteId') quoteId: string): Promise<SandboxStatus> {
    return this.provider.deposit(quoteId);
  }
}
