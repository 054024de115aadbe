import { EnvReader, InvalidConfig } from './env-reader.ts';

const ANY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** What a header of HTTP can carry. */
const HEADER_TEXT = /^[\x20-\x7e\x80-\xff]*$/;

/** The running Paybell that the command line asks, and its key. */
export interface ClientSettings {
  /** Without a slash at its end. */
  readonly url: string;
  /** Null: not set. */
  readonly apiKey: string | null;
  /** Whether PAYBELL_URL names the Paybell: without it, it is taken to run in this environment. */
  readonly isNamed: boolean;
}

/** Throws InvalidConfig. */
export function readClientSettings(env: Readonly<Record<string, string | undefined>>): ClientSettings {
  const read = new EnvReader(env);
  const named = read.url('PAYBELL_URL', ['http:', 'https:']);
  const apiKey = read.optional('PAYBELL_API_KEY');
  if (named !== null && !isPlain(new URL(named)))
    read.refuse('PAYBELL_URL', 'may have no user, password, query or fragment: PAYBELL_API_KEY has the key');
  if (apiKey !== null && !HEADER_TEXT.test(apiKey))
    read.refuse('PAYBELL_API_KEY', 'has a character that no request can carry, such as a line break');
  const isNamed = read.optional('PAYBELL_URL') !== null;
  const url = named ?? ownUrl({ host: read.text('HOST', '127.0.0.1'), port: readPort(read, isNamed) });
  if (read.problems.length > 0) throw new InvalidConfig(read.problems);
  return { url: url.replace(/\/+$/, ''), apiKey, isNamed };
}

/** What else a URL can have may be a secret, and would be printed where it fails. */
function isPlain({ username, password, search, hash }: URL): boolean {
  return [username, password, search, hash].every((part) => part === '');
}

/** Where the Paybell of this environment listens, seen from this machine. */
export function ownUrl({ host, port }: { readonly host: string; readonly port: number }): string {
  const address = ANY_ADDRESS[host] ?? host;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** Another program's PORT is no fault where PAYBELL_URL says all. */
function readPort(read: EnvReader, isNamed: boolean): number {
  return isNamed ? 0 : read.integer('PORT', 3000, 0, 65_535);
}
