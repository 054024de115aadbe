import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';

import type { ClientConfig } from 'pg';

import { codeOf, messageOf, OtherAuthority, UNKNOWN_AUTHORITY } from './connection-errors.ts';

const NO_TLS = 'The server does not support SSL connections';
/** pg_hba.conf has no line for this user and this kind of connection, encrypted or not. */
const LOGIN_REFUSED = '28000';

type Given = (name: string) => string | undefined;
/** A host, and whether the connection to it is encrypted. */
export type Way = Readonly<ClientConfig>;

/**
 * The ways to connect to several servers, with the present one. Addresses are URLs from the settings: the parameter `sslmode`
 * means the same as in libpq, and a second way to a server differs in encryption.
 */
export class WaysToConnect {
  private at = 0;
  private ways: readonly Way[];
  readonly count: number;

  constructor(private readonly addresses: readonly string[]) {
    this.ways = waysTo(addresses[0] ?? '');
    this.count = this.inTurn.length;
  }

  get current(): Way {
    return this.ways[0] ?? {};
  }

  /** All ways, beginning with the present one. */
  get inTurn(): readonly Way[] {
    const others = [...this.addresses.slice(this.at + 1), ...this.addresses.slice(0, this.at)];
    return [...this.ways, ...others.flatMap(waysTo)];
  }

  /**
   * Moves on to the next way, unless another caller has left this one already. Reads certificate files again: they may
   * have been renewed.
   */
  leave(tried: Way, failure: unknown): void {
    if (this.current !== tried) return;
    if (this.ways.length > 1 && isAboutEncryption(failure)) {
      this.ways = this.ways.slice(1);
      return;
    }
    const next = (this.at + 1) % this.addresses.length;
    try {
      this.ways = waysTo(this.addresses[next] ?? '');
      this.at = next;
    } catch {
      // While a certificate file is being replaced, the last text that was read serves.
    }
  }
}

function isAboutEncryption(failure: unknown): boolean {
  return messageOf(failure) === NO_TLS || codeOf(failure) === LOGIN_REFUSED;
}

/** The error of a try to connect by `way`, which may name an authority. */
export function ofWay({ ssl }: Way, error: Error): Error {
  const namesAuthority = typeof ssl === 'object' && ssl.ca !== undefined;
  const isOther = namesAuthority && UNKNOWN_AUTHORITY.test(codeOf(error));
  return isOther ? new OtherAuthority(codeOf(error)) : error;
}

/** The ways to one server, the preferred one first. */
function waysTo(address: string): readonly Way[] {
  const url = new URL(address);
  const given: Given = (name) => url.searchParams.get(name) ?? undefined;
  const host = decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, '$1');
  const all = {
    host,
    port: url.port,
    user: given('user') ?? decodeURIComponent(url.username),
    password: given('password') ?? decodeURIComponent(url.password),
    database: given('dbname') ?? decodeURIComponent(url.pathname.slice(1)),
    options: given('options'),
    sslnegotiation: given('sslnegotiation'),
    application_name: given('application_name'),
  };
  const set = Object.fromEntries(Object.entries(all).filter(([, value]) => value));
  return encryptions(host, given).map((ssl) => ({ ...set, ...ssl }));
}

function encryptions(host: string, given: Given): readonly Way[] {
  const mode = given('sslmode');
  // Without a mode, the driver follows PGSSLMODE.
  if (mode === undefined) return [{}];
  const plain = { ssl: false };
  // A socket never leaves this machine, and servers do not encrypt it.
  if (mode === 'disable' || host.startsWith('/')) return [plain];
  const tls = { ssl: tlsOf(mode, given) };
  if (mode === 'prefer') return [tls, plain];
  return mode === 'allow' ? [plain, tls] : [tls];
}

/**
 * Like libpq: with a certificate authority, the server's certificate is verified, and with `verify-full` also its host name.
 */
function tlsOf(mode: string, given: Given): ConnectionOptions {
  const root = given('sslrootcert');
  const ca = root === 'system' ? undefined : read(root);
  const verifiesChain = mode.startsWith('verify-') || (mode !== 'no-verify' && ca !== undefined);
  // A public authority certifies any host: such a certificate proves only a name, so the name is verified too.
  const verifiesName = mode === 'verify-full' || (mode === 'verify-ca' && ca === undefined);
  const files = { ca, cert: read(given('sslcert')), key: read(given('sslkey')) };
  const set = Object.entries({ ...files, passphrase: given('sslpassword') }).filter(([, value]) => value);
  return {
    ...Object.fromEntries(set),
    rejectUnauthorized: verifiesChain,
    ...(verifiesName ? {} : { checkServerIdentity: () => undefined }),
  };
}

function read(path: string | undefined): string | undefined {
  return path === undefined ? undefined : readFileSync(path, 'utf8');
}
