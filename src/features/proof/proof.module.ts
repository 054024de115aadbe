import { type DynamicModule, Module } from '@nestjs/common';

import type { Config } from '../../config/config.ts';
import { LeaveRequire } from './leave-require.ts';
import { DepositLoop } from './deposit-loop.ts';
import { ProofLoop } from './proof-loop.ts';
import { ProofSettings } from './proof.settings.ts';

/**
 * In the role of the tracker, if VERIFY is on: makes the witness prove completions, and find deposits that providers miss. If
 * it is not `require`, completes payments that were withheld before.
 */
@Module({})
export class ProofModule {
  static with(config: Config): DynamicModule {
    const { verify } = config;
    const settings = new ProofSettings(
      config.verifyFromUsd,
      config.verifyToleranceBps,
      config.verifyPatienceMs,
      config.verifyUnprovable === 'allow',
      config.depositUnseenMs / config.speed,
      config.speed,
    );
    const loops = [
      ...(verify === 'off' ? [] : [ProofLoop, DepositLoop]),
      ...(verify === 'require' ? [] : [LeaveRequire]),
    ];
    return {
      module: ProofModule,
      providers: config.roles.has('tracker')
        ? [{ provide: ProofSettings, useValue: settings }, ...loops]
        : [],
    };
  }
}
