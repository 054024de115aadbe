import { isIP, type LookupFunction } from 'node:net';

import { buildConnector } from 'undici';

import { readInChunks } from '../../../platform/bounded-reading/read-in-chunks.ts';
import type { AddressGuard, Refusal } from './address-guard.ts';
import type { HostLookup } from './host-lookup.ts';

/** No connection was made: what the host stands for is refused. */
export class BlockedAddress extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.reason);
  }
}

export interface ConnectorOptions {
  readonly timeoutMs: number;
  /** Certificate authorities instead of Node's own. */
  readonly ca?: string;
}

/** With several addresses, how long one may take before the next is tried. */
const NEXT_ADDRESS_AFTER_MS = 1_000;

/** Connects to judged addresses only: the address that was looked up and judged is the one that is connected to. */
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
    // A literal address is connected to without a look-up.
    const refusal = isIP(target.hostname) !== 0 ? guard.refusal(target.hostname, protocol) : null;
    if (refusal !== null) return callback(new BlockedAddress(refusal), null);
    connectors[protocol](withServerName(target), (...made) => {
      if (made[0] === null) readInChunks(made[1]);
      callback(...made);
    });
  };
}

/** The trailing dot of a full domain name is no part of the name that TLS asks for (RFC 6066). */
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
    // Said out loud, so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn it off.
    rejectUnauthorized: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    lookup: judgingLookup(protocol, guard, hosts),
    ...(ca === undefined ? {} : { ca }),
  };
}

function judgingLookup(protocol: string, guard: AddressGuard, hosts: HostLookup): LookupFunction {
  return (hostname, options, callback) => {
    hosts.find(hostname).then(
      (found) => {
        const judged = found.map((each) => ({ ...each, refusal: guard.refusal(each.address, protocol) }));
        const good = judged.filter(({ refusal }) => refusal === null);
        const [first] = good;
        const refusal = judged.find((each) => each.refusal !== null)?.refusal;
        if (first === undefined) callback(refusal ? new BlockedAddress(refusal) : noAddress(hostname), '', 0);
        else if (options.all === true) callback(null, good);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}

function noAddress(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
}
