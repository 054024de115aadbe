import { type DynamicModule, Global, Logger, Module, type OnApplicationBootstrap } from '@nestjs/common';

import { Config } from '../config/config.ts';
import type { Section } from '../config/setting.ts';
import { PROVIDERS } from './registered-providers.ts';

/** The provider of PROVIDER, as PaymentProvider for every module. */
@Global()
@Module({})
export class ProvidersModule implements OnApplicationBootstrap {
  constructor(private readonly config: Config) {}

  static async with(config: Config): Promise<DynamicModule> {
    // The configuration refuses other words.
    const provider = await PROVIDERS[config.provider as keyof typeof PROVIDERS].module();
    return { module: ProvidersModule, imports: [provider.with(config)], exports: [provider] };
  }

  onApplicationBootstrap(): void {
    const { provider } = this.config;
    const others = Object.entries(PROVIDERS).filter(([name]) => name !== provider);
    for (const name of others.flatMap(([, { settings }]) => this.setAmong(settings)))
      new Logger('Paybell').warn(`${name} is not used: PROVIDER is ${provider}`);
  }

  /** The variables that this provider requires, and that are set. */
  private setAmong(settings: Section): string[] {
    const values = this.config.of(settings);
    const required = Object.entries(settings.rows).filter(([, { isRequired }]) => isRequired === true);
    return required.filter(([key]) => values[key] !== null).map(([, { name }]) => name);
  }
}
