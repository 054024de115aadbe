import { Config } from '../../config/config.ts';
import { InvalidConfig } from '../../config/environment.ts';
import type { Providers } from '../../config/provider-settings.ts';

/** The settings of this process. Invalid settings end the process, with a line for each. */
export function configOrExit(providers: Providers): Config {
  try {
    return new Config(process.env, providers);
  } catch (error) {
    if (!(error instanceof InvalidConfig)) throw error;
    process.stderr.write(`${error.message}\n`);
    return process.exit(1);
  }
}
