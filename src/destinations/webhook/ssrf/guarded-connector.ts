import { isIP, type LookupFunction } from 'node:net';

import { buildConnector } from 'undici';

import { readInChunks } from '../../../platform/bounded-reading/read-in-chunks.ts';
import type { AddressGuard, Refusal } from './address-guard.ts';
import type { HostLookup } from './host-lookup.ts';

/** No connection was made: the guard refuses the host's addresses. */
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

/** With several addresses, how long to wait for one before the next is tried. */
const NEXT_ADDRESS_AFTER_MS = 1_000;

/** Connects only to addresses that the guard allows: it pins the resolved address, so that DNS can't change it after the check. */
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
    // Node does not call `lookup` for a literal address: check it here.
    const refusal = isIP(target.hostname) !== 0 ? guard.refusal(target.hostname, protocol) : null;
    if (refusal !== null) return callback(new BlockedAddress(refusal), null);
    connectors[protocol](withServerName(target), (...made) => {
      if (made[0] === null) readInChunks(made[1]);
      callback(...made);
    });
  };
}

/** Removes the trailing dot of a full domain name, which is no part of the TLS server name (RFC 6066). */
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
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED can't turn it off.
    rejectUnauthorized: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    lookup: guardedLookup(protocol, guard, hosts),
    ...(ca === undefined ? {} : { ca }),
  };
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
