import { Logger } from '@nestjs/common';

import { inconclusive } from '../domain/proof/judge-output.ts';
import type { DepositAnswer, OutputAnswer, PromisedOutput, WatchedDeposit } from '../domain/proof/output.ts';
import { checksOf } from '../domain/proof/output-checks.ts';
import { AddressGuard } from '../platform/outbound/address-guard.ts';
import { guardedConnector, HostLookup } from '../platform/outbound/guarded-connector.ts';
import { ChainWitness } from '../ports/chain-witness.ts';
import type { Clock } from '../ports/clock.ts';
import type { Meter, RpcOutcome } from '../ports/meter.ts';
import type { Timers } from '../ports/timers.ts';
import { EvmChain } from './chain.ts';
import { EvmNode } from './evm/evm-node.ts';
import { CHAIN_ID } from './evm/questions.ts';
import { Rpc } from './rpc/rpc.ts';

const CONNECT_MS = 5_000;
const TIMEOUT_MS = 10_000;
const GUARD_SETTINGS = {
  cidrs: 'CHAIN_RPC_ALLOWED_CIDRS or WEBHOOK_ALLOWED_CIDRS',
  http: 'WEBHOOK_ALLOW_HTTP',
};

export interface EvmOptions {
  /** The URLs of each chain's RPCs. */
  readonly urls: ReadonlyMap<number, readonly string[]>;
  readonly allowedCidrs: readonly string[];
  /** Plain http to public addresses too. */
  readonly allowHttp: boolean;
  readonly maxRps: number;
  /** Of one request. */
  readonly timeoutMs?: number;
  /** Blocks after which a transfer counts as proven. */
  readonly confirmationsOf: (chainId: number) => number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly meter: Pick<Meter, 'rpcAsked'>;
  /** Certificate authorities instead of Node's own. */
  readonly ca?: string;
}

/** Reads EVM chains through their JSON-RPC. */
export class EvmWitness extends ChainWitness {
  private readonly chains = new Map<number, EvmChain>();
  private readonly rpcs: Rpc[] = [];

  constructor(options: EvmOptions) {
    super();
    const { urls, confirmationsOf, clock, timers } = options;
    for (const [chainId, ofChain] of urls) {
      const rpcs: Rpc[] = [];
      const onAsked = (calls: number, outcome: RpcOutcome): void =>
        options.meter.rpcAsked(
          chainId,
          calls,
          outcome,
          rpcs.filter(({ throttle }) => throttle.isOpen).length,
        );
      rpcs.push(...ofChain.map((url) => rpcOf(url, chainId, options, onAsked)));
      const needed = confirmationsOf(chainId);
      const names = namesOf(rpcs.map(({ host }) => host));
      const nodes = rpcs.map((rpc, at) => {
        const host = names[at] ?? rpc.host;
        const onUnknownTag = (): void => warnOfTag(host, chainId);
        return new EvmNode(rpc, { host, needed, clock, timers, onUnknownTag });
      });
      this.rpcs.push(...rpcs);
      this.chains.set(chainId, new EvmChain(chainId, nodes, clock, timers));
    }
  }

  sees(chainId: number): boolean {
    return this.chains.has(chainId);
  }

  async inspectOutput(output: PromisedOutput): Promise<OutputAnswer> {
    const nothing = inconclusive('no_witness', null, { source: null, checks: checksOf({}) });
    return this.chains.get(output.chainId)?.inspectOutput(output) ?? nothing;
  }

  async inspectDeposit(deposit: WatchedDeposit): Promise<DepositAnswer> {
    const nothing = { deposit: null, askAgainMs: null };
    return this.chains.get(deposit.chainId)?.inspectDeposit(deposit) ?? nothing;
  }

  async readDecimals(chainId: number, token: string): Promise<number | null> {
    return this.chains.get(chainId)?.readDecimals(token) ?? null;
  }

  /** Ends the connections; inspections in flight end as if the RPCs were away. */
  async close(): Promise<void> {
    await Promise.all(this.rpcs.map((rpc) => rpc.close()));
  }
}

/** Names the RPCs of a chain by their hosts: the second one of a host is `host#2`, as CHAIN_RPC orders them. */
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

type RpcSurroundings = Pick<
  EvmOptions,
  'allowedCidrs' | 'allowHttp' | 'maxRps' | 'timeoutMs' | 'clock' | 'timers' | 'ca'
>;

/** An RPC behind the address rules of CHAIN_RPC. */
export function rpcOf(
  url: string,
  chainId: number,
  { allowedCidrs, allowHttp, maxRps, timeoutMs = TIMEOUT_MS, clock, timers, ca }: RpcSurroundings,
  onAsked: (calls: number, outcome: RpcOutcome) => void = () => undefined,
): Rpc {
  const guard = new AddressGuard(allowedCidrs, allowHttp, GUARD_SETTINGS);
  const tls = { timeoutMs: CONNECT_MS, ...(ca === undefined ? {} : { ca }) };
  const connect = guardedConnector(guard, new HostLookup(), tls);
  return new Rpc({ url, chainId, asksChainId: CHAIN_ID, connect, maxRps, timeoutMs, clock, timers, onAsked });
}
