import { Config } from './config/config.ts';
import { InvalidConfig } from './config/env-reader.ts';
import { walletProblem } from './providers/relay/vm-addresses.ts';

/** Throws InvalidConfig. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  return new Config(env, { walletProblem });
}

/** The settings of this process. Invalid ones end it, with a line for each. */
export function configOrExit(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof InvalidConfig)) throw error;
    process.stderr.write(`${error.message}\n`);
    return process.exit(1);
  }
}
