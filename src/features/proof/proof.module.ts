import { type DynamicModule, Module } from '@nestjs/common';

import type { Config } from '../../config/config.ts';
import { DepositLoop } from './deposit-loop.ts';
import { ProofLoop } from './proof-loop.ts';
import { ProofSettings } from './proof.settings.ts';

/** Has the witness prove completions, and find deposits that providers miss: where VERIFY is on, in the role of the tracker. */
@Module({})
export class ProofModule {
  static with(config: Config): DynamicModule {
    const isOn = config.verify !== 'off' && config.roles.has('tracker');
    const settings = new ProofSettings(
      config.verifyFromUsd,
      config.verifyToleranceBps,
      config.verifyPatienceMs,
      config.verifyUnprovable === 'allow',
      config.depositUnseenMs / config.speed,
      config.speed,
    );
    return {
      module: ProofModule,
      providers: isOn ? [{ provide: ProofSettings, useValue: settings }, ProofLoop, DepositLoop] : [],
    };
  }
}
