import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';

import { buildConnector } from 'undici';

import { OWN_CODES } from '../../domain/delivery/failure-advice.ts';
import { readInChunks } from '../bounded-reading/socket-reading.ts';
import type { AddressGuard, Refusal } from './address-guard.ts';

/** No connection was made: the guard refuses the host's addresses. */
export class BlockedAddress extends Error {
  readonly code = 'BLOCKED_ADDRESS';

  constructor(readonly refusal: Refusal) {
    super(refusal.reason);
  }
}

/** The certificate has no subjectAltName: RFC 9525 forbids the use of its common name, to which Node would fall back. */
class CommonNameOnly extends Error {
  readonly code = OWN_CODES.commonNameOnly;
}

export interface ConnectorOptions {
  readonly timeoutMs: number;
  /** Certificate authorities in place of Node's own. */
  readonly ca?: string;
}

/** If a host has several addresses, the next one is tried after this time. */
const NEXT_ADDRESS_AFTER_MS = 1_000;

/**
 * Connects only to addresses that the guard allows. It pins the resolved address, so that DNS cannot change it after the
 * check.
 */
export function guardedConnector(
  guard: AddressGuard,
  hosts: HostLookup,
  options: ConnectorOptions,
): buildConnector.connector {
  const connectors = {
    'http:': buildConnector(optionsFor('http:', guard, hosts, options)),
    'https:': buildConnector(optionsFor('https:', guard, hosts, options)),
  };
  return (target, callback) => {
    const protocol = target.protocol === 'http:' ? 'http:' : 'https:';
    // Node does not call `lookup` for a literal address, so it is checked here.
    const refusal = isIP(target.hostname) !== 0 ? guard.refusal(target.hostname, protocol) : null;
    if (refusal !== null) return callback(new BlockedAddress(refusal), null);
    connectors[protocol](withServerName(target), (...made) => {
      if (made[0] === null) readInChunks(made[1]);
      callback(...made);
    });
  };
}

/** Removes the trailing dot of a full domain name, which does not belong to the TLS server name (RFC 6066). */
function withServerName(target: buildConnector.Options): buildConnector.Options {
  if (!target.hostname.endsWith('.')) return target;
  return { ...target, servername: target.hostname.slice(0, -1) };
}

function optionsFor(
  protocol: string,
  guard: AddressGuard,
  hosts: HostLookup,
  { timeoutMs, ca }: ConnectorOptions,
): buildConnector.BuildOptions {
  return {
    timeout: timeoutMs,
    allowH2: false,
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn it off.
    rejectUnauthorized: true,
    checkServerIdentity: checkAltNames,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    lookup: guardedLookup(protocol, guard, hosts),
    ...(ca === undefined ? {} : { ca }),
  };
}

function checkAltNames(host: string, certificate: PeerCertificate): Error | undefined {
  const fault = checkServerIdentity(host, { ...certificate, subject: { ...certificate.subject, CN: '' } });
  return fault !== undefined && certificate.subjectaltname === undefined ? new CommonNameOnly() : fault;
}

function guardedLookup(protocol: string, guard: AddressGuard, hosts: HostLookup): LookupFunction {
  return (hostname, options, callback) => {
    hosts.find(hostname).then(
      (found) => {
        const checked = found.map((each) => ({ ...each, refusal: guard.refusal(each.address, protocol) }));
        const allowed = checked.filter(({ refusal }) => refusal === null);
        const [first] = allowed;
        const refusal = checked.find((each) => each.refusal !== null)?.refusal;
        if (first === undefined) callback(refusal ? new BlockedAddress(refusal) : noAddress(hostname), '', 0);
        else if (options.all === true) callback(null, allowed);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}

function noAddress(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
}

export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

interface Known {
  readonly addresses: readonly LookupAddress[];
  readonly at: number;
}

const FRESH_MS = 5_000;
const STALE_UP_TO_MS = 600_000;
/**
 * How long an attempt waits for a look-up if it has a stale answer. Short, because a dead name server delays the look-ups of
 * all hosts.
 */
const SLOW_AFTER_MS = 30;
const MAX_HOSTS = 1_000;

/**
 * Resolves host names. Concurrent callers share one look-up, and get the last known answer while it hangs. Node runs only two
 * look-ups at once: two dead name servers would otherwise delay every endpoint.
 */
export class HostLookup {
  private readonly known = new Map<string, Known>();
  private readonly running = new Map<string, Promise<readonly LookupAddress[]>>();

  constructor(
    private readonly resolve: Resolve = (hostname) => lookup(hostname, { all: true, verbatim: true }),
    private readonly freshMs = FRESH_MS,
  ) {}

  async find(hostname: string): Promise<readonly LookupAddress[]> {
    const known = this.known.get(hostname);
    const ageMs = known === undefined ? Infinity : performance.now() - known.at;
    if (known !== undefined && ageMs < this.freshMs) return known.addresses;
    const lookup = this.lookUp(hostname);
    if (known === undefined || ageMs > STALE_UP_TO_MS) return lookup;
    return Promise.race([lookup, afterwards(SLOW_AFTER_MS, known.addresses)]);
  }

  private lookUp(hostname: string): Promise<readonly LookupAddress[]> {
    const running = this.running.get(hostname);
    if (running !== undefined) return running;
    const lookup = this.resolve(hostname)
      .then((addresses) => this.remember(hostname, addresses))
      .finally(() => this.running.delete(hostname));
    this.running.set(hostname, lookup);
    return lookup;
  }

  private remember(hostname: string, addresses: readonly LookupAddress[]): readonly LookupAddress[] {
    this.known.delete(hostname);
    this.known.set(hostname, { addresses, at: performance.now() });
    const oldest = this.known.keys().next();
    if (this.known.size > MAX_HOSTS && oldest.done !== true) this.known.delete(oldest.value);
    return addresses;
  }
}

function afterwards<Value>(ms: number, value: Value): Promise<Value> {
  return new Promise((resolve) => setTimeout(resolve, ms, value).unref());
}
