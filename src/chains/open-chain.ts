import { Logger } from '@nestjs/common';

import { AddressGuard } from '../platform/outbound/address-guard.ts';
import { guardedConnector, HostLookup } from '../platform/outbound/guarded-connector.ts';
import type { Clock } from '../ports/clock.ts';
import type { Meter, RpcOutcome } from '../ports/meter.ts';
import type { Timers } from '../ports/timers.ts';
import { Chain } from './chain.ts';
import type { ChainAdapter } from './rpc/chain-adapter.ts';
import { RpcConnection } from './rpc/rpc-connection.ts';

const CONNECT_MS = 5_000;
const TIMEOUT_MS = 10_000;
const GUARD_SETTINGS = {
  cidrs: 'CHAIN_RPC_ALLOWED_CIDRS or WEBHOOK_ALLOWED_CIDRS',
  http: 'WEBHOOK_ALLOW_HTTP',
};

export interface RpcSurroundings {
  readonly allowedCidrs: readonly string[];
  /** True: plain http is allowed to public addresses too. */
  readonly allowHttp: boolean;
  /** Headers by host and name; they contain keys. */
  readonly headers: ReadonlyMap<string, Readonly<Record<string, string>>>;
  readonly maxRps: number;
  /** The time limit of one request. */
  readonly timeoutMs?: number;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Certificate authorities in place of Node's own. */
  readonly ca?: string;
}

export interface ChainOptions extends RpcSurroundings {
  readonly chainId: number;
  readonly urls: readonly string[];
  /** The number of blocks after which a transfer counts as proven. */
  readonly needed: number;
  readonly meter: Pick<Meter, 'rpcAsked' | 'rpcDisagreed'>;
}

/** Opens a chain with its RPCs. */
export function openChain(adapter: ChainAdapter, options: ChainOptions): Chain {
  const { chainId, urls, needed, clock, timers, meter } = options;
  const connections: RpcConnection[] = [];
  const onAsked = (calls: number, outcome: RpcOutcome): void => {
    const open = connections.filter(({ throttle }) => throttle.isOpen).length;
    meter.rpcAsked(chainId, calls, outcome, open);
  };
  connections.push(...urls.map((url) => connectionOf(adapter, url, options, onAsked)));
  const names = namesOf(connections.map(({ host }) => host));
  const readers = connections.map((connection, at) => {
    const host = names[at] ?? connection.host;
    const onUnknownTag = (): void => warnOfTag(host, chainId);
    return adapter.readerOf(connection, { chainId, host, needed, clock, timers, onUnknownTag });
  });
  const { spelling } = adapter;
  const onDisagreed = (host: string): void => meter.rpcDisagreed(chainId, host);
  return new Chain({ chainId, readers, connections, spelling, clock, timers, onDisagreed });
}

/** Names the RPCs of a chain by their hosts: a host's second RPC is `host#2`, in the order of CHAIN_RPC. */
export function namesOf(hosts: readonly string[]): string[] {
  return hosts.map((host, at) => {
    const nth = hosts.slice(0, at + 1).filter((other) => other === host).length;
    return nth === 1 ? host : `${host}#${nth}`;
  });
}

function warnOfTag(host: string, chainId: number): void {
  new Logger('ChainWitness').warn(
    `The RPC ${host} of chain ${chainId} names no \`finalized\` block: blocks are final after CHAIN_CONFIRMATIONS`,
  );
}

/** Connects to an RPC under the address rules of CHAIN_RPC. */
export function connectionOf(
  { limitIn }: ChainAdapter,
  url: string,
  surroundings: RpcSurroundings,
  onAsked: (calls: number, outcome: RpcOutcome) => void = () => undefined,
): RpcConnection {
  const { allowedCidrs, allowHttp, maxRps, timeoutMs = TIMEOUT_MS, clock, timers, ca } = surroundings;
  const guard = new AddressGuard(allowedCidrs, allowHttp, GUARD_SETTINGS);
  const tls = { timeoutMs: CONNECT_MS, ...(ca === undefined ? {} : { ca }) };
  const connect = guardedConnector(guard, new HostLookup(), tls);
  const headers = surroundings.headers.get(new URL(url).hostname) ?? {};
  const limits = limitIn === undefined ? {} : { limitIn };
  return new RpcConnection({ url, headers, connect, maxRps, timeoutMs, clock, timers, onAsked, ...limits });
}
