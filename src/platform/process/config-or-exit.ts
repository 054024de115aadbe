import { Config, type ConfigChecks } from '../../config/config.ts';
import { InvalidConfig } from '../../config/env-reader.ts';

/** The settings of this process. Invalid ones end it, with a line for each. */
export function configOrExit(checks: ConfigChecks): Config {
  try {
    return new Config(process.env, checks);
  } catch (error) {
    if (!(error instanceof InvalidConfig)) throw error;
    process.stderr.write(`${error.message}\n`);
    return process.exit(1);
  }
}
