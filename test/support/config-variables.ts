import { Config } from '../../src/config/config.ts';

/** Every variable that the configuration asks for, seen by letting it ask. */
export function configVariables(): Set<string> {
  const asked = new Set<string>();
  const env = new Proxy<Record<string, string | undefined>>(
    {},
    { get: (_none, name) => void asked.add(String(name)) },
  );
  const { provider } = new Config(env);
  if (provider !== 'sandbox') throw new Error(`without any variable the provider is ${provider}`);
  return asked;
}
