import { type DynamicModule, Global, Logger, Module, type OnApplicationBootstrap } from '@nestjs/common';

import { Config } from '../config/config.ts';
import type { Section } from '../config/setting.ts';
import type { PaymentProvider } from '../ports/payment-provider.ts';
import { PaymentProviders } from '../ports/provider-cell.ts';
import { QuoteTables } from '../ports/quote-tables.ts';
import { LeftProvider } from './left-provider.ts';
import { PROVIDERS, QUOTE_TABLES } from './registered-providers.ts';

/** The providers of PROVIDER, as PaymentProviders for every module. */
@Global()
@Module({})
export class ProvidersModule implements OnApplicationBootstrap {
  constructor(private readonly config: Config) {}

  static async with(config: Config): Promise<DynamicModule> {
    const used = await Promise.all(
      // The configuration refuses other words.
      config.providers.map((name) => PROVIDERS[name as keyof typeof PROVIDERS].load()),
    );
    const left = config.leftProviders.map((name) => new LeftProvider(name));
    const providers = {
      provide: PaymentProviders,
      useFactory: (...all: PaymentProvider[]) =>
        new PaymentProviders([...all, ...left], Object.keys(PROVIDERS)),
      inject: used.map(({ provider }) => provider),
    };
    return {
      module: ProvidersModule,
      imports: used.map(({ module }) => module.with(config)),
      providers: [providers, { provide: QuoteTables, useValue: QUOTE_TABLES }],
      exports: [providers, QuoteTables],
    };
  }

  onApplicationBootstrap(): void {
    const { providers } = this.config;
    const others = Object.entries(PROVIDERS).filter(([name]) => !providers.includes(name));
    for (const name of others.flatMap(([, { settings }]) => this.setAmong(settings)))
      new Logger('Paybell').warn(`${name} is not used: PROVIDER is ${providers.join(',')}`);
  }

  /** The variables that this provider requires and that are set. */
  private setAmong(settings: Section): string[] {
    const values = this.config.of(settings);
    const required = Object.entries(settings.rows).filter(([, { isRequired }]) => isRequired === true);
    return required.filter(([key]) => values[key] !== null).map(([, { name }]) => name);
  }
}
