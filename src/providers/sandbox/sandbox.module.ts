import { type DynamicModule, Logger, Module, type OnApplicationBootstrap } from '@nestjs/common';

import { Config } from '../../config/config.ts';
import { Clock } from '../../ports/clock.ts';
import { PaymentProvider } from '../../ports/payment-provider.ts';
import { Queries } from '../../ports/queries.ts';
import { SandboxProvider } from './sandbox-provider.ts';
import { SandboxController } from './sandbox.controller.ts';

/** The provider that invents payments, for rehearsals. */
@Module({})
export class SandboxModule implements OnApplicationBootstrap {
  constructor(private readonly config: Config) {}

  static with({ sandboxSpeed, sandboxAutopay, providerMaxRpm, roles }: Config): DynamicModule {
    const options = { speed: sandboxSpeed, autopay: sandboxAutopay, maxRpm: providerMaxRpm };
    const provider = {
      provide: SandboxProvider,
      useFactory: (queries: Queries, clock: Clock) => new SandboxProvider(queries, options, clock),
      inject: [Queries, Clock],
    };
    return {
      module: SandboxModule,
      controllers: roles.has('api') ? [SandboxController] : [],
      providers: [provider, { provide: PaymentProvider, useExisting: SandboxProvider }],
      exports: [PaymentProvider],
    };
  }

  onApplicationBootstrap(): void {
    const { sandboxSpeed, providerBaseUrl } = this.config;
    const unused = providerBaseUrl === null ? '' : ' PROVIDER_BASE_URL is not used.';
    new Logger('Paybell').warn(
      `PROVIDER is the sandbox, at speed ${sandboxSpeed}: no real money moves, and its deposit addresses are invented.${unused}`,
    );
  }
}
