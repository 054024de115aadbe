import { Controller, HttpCode, Param, Post } from '@nestjs/common';

import { SandboxProvider } from './sandbox-provider.ts';
import type { SandboxStatus } from './sandbox-status.ts';

/** Lets a tester play the payer; there only in sandbox mode. */
@Controller('sandbox/payments')
export class SandboxController {
  constructor(private readonly provider: SandboxProvider) {}

  /** Makes the deposit of a sandbox payment now; answers with its status object. */
  @Post(':quoteId/deposit')
  @HttpCode(200)
  deposit(@Param('quoteId') quoteId: string): Promise<SandboxStatus> {
    return this.provider.deposit(quoteId);
  }
}
