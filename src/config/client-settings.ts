import { webUrl } from './address-kinds.ts';
import { Environment } from './environment.ts';
import { HTTP } from './http-settings.ts';
import { headerText } from './kinds.ts';
import { section } from './setting.ts';

const ANY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

export const COMMAND_LINE = section({
  heading: 'Command line',
  about: 'What the command `paybell` reads besides: [cli.md](cli.md).',
  rows: {
    url: webUrl('PAYBELL_URL', {
      text: 'the origin of the running Paybell; unset: the one at `HOST` and `PORT`',
    }),
    apiKey: headerText('PAYBELL_API_KEY', { isSecret: true, text: 'the API key that it is asked with' }),
  },
  check({ url }, env) {
    // The other parts of a URL may contain a secret, and a failure would print them.
    if (url !== null && !isPlain(new URL(url)))
      env.refuse('PAYBELL_URL', 'may have no user, password, query or fragment: PAYBELL_API_KEY has the key');
  },
});

/** The running Paybell that the command line uses, and its key. */
export interface ClientSettings {
  /** The URL without a slash at its end. */
  readonly url: string;
  /** Null: not set. */
  readonly apiKey: string | null;
  /** Whether PAYBELL_URL names the Paybell; otherwise it is assumed to run in this environment. */
  readonly isNamed: boolean;
}

/** Throws InvalidConfig. */
export function readClientSettings(env: Readonly<Record<string, string | undefined>>): ClientSettings {
  const read = new Environment(env);
  const { url: named, apiKey } = read.readSection(COMMAND_LINE).values;
  const isNamed = read.isSet('PAYBELL_URL');
  // If PAYBELL_URL is complete, an invalid PORT of another program does not matter.
  const url = named ?? (isNamed ? '' : ownUrl(read.read({ host: HTTP.rows.host, port: HTTP.rows.port })));
  read.throwIfRefused();
  return { url: url.replace(/\/+$/, ''), apiKey, isNamed };
}

function isPlain({ username, password, search, hash }: URL): boolean {
  return [username, password, search, hash].every((part) => part === '');
}

/** The URL, seen from this machine, on which the Paybell of this environment listens. */
function ownUrl({ host, port }: { readonly host: string; readonly port: number }): string {
  const address = ANY_ADDRESS[host] ?? host;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}
