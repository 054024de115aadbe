import { Config } from '../../src/config/config.ts';
import { PROVIDERS } from '../../src/providers/registered-providers.ts';

/** The configuration of a process with these variables. */
export function configOf(
  variables: Readonly<Record<string, string | undefined>>,
  options?: { readonly asksProvider: boolean },
): Config {
  return new Config(variables, PROVIDERS, options);
}

/** A line for each variable that the configuration refuses; none for a valid configuration. */
export function problemsOf(variables: Readonly<Record<string, string>>): string[] {
  try {
    configOf(variables);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n').slice(1);
  }
}
