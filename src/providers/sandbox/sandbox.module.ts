import { type DynamicModule, Logger, Module, type OnApplicationBootstrap } from '@nestjs/common';

import { Config } from '../../config/config.ts';
import { Clock } from '../../ports/clock.ts';
import { Queries } from '../../ports/queries.ts';
import { SandboxProvider } from './sandbox-provider.ts';
import { SANDBOX_SETTINGS } from './sandbox-settings.ts';
import { SandboxController } from './sandbox.controller.ts';

/** The provider that invents payments, for rehearsals. */
@Module({})
export class SandboxModule implements OnApplicationBootstrap {
  constructor(private readonly config: Config) {}

  static with(config: Config): DynamicModule {
    const { maxRpm } = config.requestsOf(SANDBOX_SETTINGS);
    const options = { ...config.of(SANDBOX_SETTINGS), maxRpm };
    const provider = {
      provide: SandboxProvider,
      useFactory: (queries: Queries, clock: Clock) => new SandboxProvider(queries, options, clock),
      inject: [Queries, Clock],
    };
    return {
      module: SandboxModule,
      controllers: config.roles.has('api') ? [SandboxController] : [],
      providers: [provider],
      exports: [SandboxProvider],
    };
  }

  onApplicationBootstrap(): void {
    const { speed } = this.config.of(SANDBOX_SETTINGS);
    new Logger('Paybell').warn(
      `PROVIDER is the sandbox, at speed ${speed}: no real money moves, and its deposit addresses are invented.`,
    );
  }
}
