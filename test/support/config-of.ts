import { Config } from '../../src/config/config.ts';
import { PROVIDERS } from '../../src/providers/registered-providers.ts';

/** The configuration of a process with these variables. */
export function configOf(
  variables: Readonly<Record<string, string | undefined>>,
  options?: { readonly asksProvider: boolean },
): Config {
  return new Config(variables, PROVIDERS, options);
}
