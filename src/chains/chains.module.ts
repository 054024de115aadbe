import { type DynamicModule, Global, Logger, Module } from '@nestjs/common';

import type { Config } from '../config/config.ts';
import { kindOf, rulesOf } from '../domain/chains/chain-kinds.ts';
import { ChainWitness } from '../ports/chain-witness.ts';
import { Clock } from '../ports/clock.ts';
import { Meter } from '../ports/meter.ts';
import { Timers } from '../ports/timers.ts';
import { adapterOf } from './adapters.ts';
import type { Chain } from './chain.ts';
import { ChainWitnesses } from './chain-witnesses.ts';
import { openChain } from './open-chain.ts';

const SIMULATED =
  'CHAIN_RPC names no chain: one that the sandbox plays proves its payments. It is simulated, and proves nothing of real money.';

/**
 * The witness of the chains that CHAIN_RPC names, or that the sandbox simulates, for every module. With VERIFY=off it sees
 * none.
 */
@Global()
@Module({})
export class ChainsModule {
  static with(config: Config): DynamicModule {
    const witness = {
      provide: ChainWitness,
      useFactory: (clock: Clock, timers: Timers, meter: Meter) =>
        config.simulatesChain && isAsking(config)
          ? sandboxWitness(config, clock)
          : witnessWith(config, { clock, timers, meter }),
      inject: [Clock, Timers, Meter],
    };
    return { module: ChainsModule, providers: [witness], exports: [ChainWitness] };
  }
}

interface Surroundings {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly meter: Meter;
}

export async function witnessWith(config: Config, surroundings: Surroundings): Promise<ChainWitnesses> {
  return new ChainWitnesses(isAsking(config) ? await chainsOf(config, surroundings) : []);
}

async function sandboxWitness(config: Config, clock: Clock): Promise<ChainWitness> {
  new Logger('ChainWitness').warn(SIMULATED);
  const { SandboxWitness } = await import('./sandbox/sandbox-witness.ts');
  return new SandboxWitness({ speed: config.speed, confirmationsOf: confirmationsOf(config), clock });
}

function confirmationsOf({ chainConfirmations }: Config): (chainId: number) => number {
  return (chainId) => chainConfirmations.get(chainId) ?? rulesOf(chainId).confirmations;
}

/** A process that only delivers proves nothing. */
function isAsking({ verify, roles }: Config): boolean {
  return verify !== 'off' && (roles.has('api') || roles.has('tracker'));
}

async function chainsOf(config: Config, surroundings: Surroundings): Promise<Chain[]> {
  const log = new Logger('ChainWitness');
  const all = [...(config.chainRpc ?? [])].map(([chainId, urls]) => ({
    chainId,
    urls,
    kind: kindOf(chainId),
  }));
  const unread = all.filter(({ kind }) => kind === null).map(({ chainId }) => chainId);
  if (unread.length > 0)
    log.warn(
      `CHAIN_RPC names chains that Paybell cannot read, whatever their RPC: ${unread.join(', ')}. Nothing is proven there.`,
    );
  const chains = all.flatMap(({ kind, ...chain }) => (kind === null ? [] : [{ kind, ...chain }]));
  if (chains.length === 0)
    log.warn(`VERIFY is ${config.verify}, and CHAIN_RPC names no chain: nothing is proven`);
  const opened: Chain[] = [];
  for (const { kind, chainId, urls } of chains) {
    const needed = confirmationsOf(config)(chainId);
    const options = { chainId, urls, needed, ...config.chainRpcAccess, ...surroundings };
    opened.push(openChain(await adapterOf(kind, chainId), options));
  }
  return opened;
}
