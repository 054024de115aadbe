import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';

import type { ClientConfig } from 'pg';

import { codeOf, messageOf } from './connection-errors.ts';

const NO_TLS = 'The server does not support SSL connections';
/** pg_hba.conf has no line for this user with, or without, encryption. */
const LOGIN_REFUSED = '28000';

type Given = (name: string) => string | undefined;
/** A host, and how it is asked: encrypted or not. */
export type Way = Readonly<ClientConfig>;

/**
 * The ways to connect to several servers, and the present one of them. Addresses are URLs as the settings have them: the
 * parameter `sslmode` means what libpq's does, and a second way to a server differs in encryption.
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

  /** All of them, from the present one on. */
  get inTurn(): readonly Way[] {
    const others = [...this.addresses.slice(this.at + 1), ...this.addresses.slice(0, this.at)];
    return [...this.ways, ...others.flatMap(waysTo)];
  }

  /** Goes on to the next way, unless another caller has left this one already. Files are read again: they may be renewed. */
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
      // A file is being replaced: those that were read last still serve.
    }
  }
}

function isAboutEncryption(failure: unknown): boolean {
  return messageOf(failure) === NO_TLS || codeOf(failure) === LOGIN_REFUSED;
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
  // Then the driver goes by PGSSLMODE.
  if (mode === undefined) return [{}];
  const plain = { ssl: false };
  // A socket never leaves this machine, and the server encrypts none.
  if (mode === 'disable' || host.startsWith('/')) return [plain];
  const tls = { ssl: tlsOf(mode, given) };
  if (mode === 'prefer') return [tls, plain];
  return mode === 'allow' ? [plain, tls] : [tls];
}

/** As libpq: whoever names an authority has the server's certificate verified, and `verify-full` its name too. */
function tlsOf(mode: string, given: Given): ConnectionOptions {
  const root = given('sslrootcert');
  const ca = root === 'system' ? undefined : read(root);
  const verifiesChain = mode.startsWith('verify-') || (mode !== 'no-verify' && ca !== undefined);
  // A well-known authority makes certificates for anyone: they prove nothing but a name.
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
