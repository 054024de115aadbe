import { type DynamicModule, Module } from '@nestjs/common';

import type { Config } from '../../config/config.ts';
import { Clock } from '../../ports/clock.ts';
import { HttpProvider } from './http-provider.ts';
import { HTTP_PROVIDER_SETTINGS } from './http-settings.ts';

/** Any provider that implements the payment API. */
@Module({})
export class HttpProviderModule {
  static with(config: Config): DynamicModule {
    const { baseUrl, apiKey, auth } = config.of(HTTP_PROVIDER_SETTINGS);
    const requests = config.requestsOf(HTTP_PROVIDER_SETTINGS);
    const options = { baseUrl: baseUrl ?? '', apiKey, auth, ...requests };
    return {
      module: HttpProviderModule,
      providers: [
        {
          provide: HttpProvider,
          useFactory: (clock: Clock) => new HttpProvider(options, clock),
          inject: [Clock],
        },
      ],
      exports: [HttpProvider],
    };
  }
}
