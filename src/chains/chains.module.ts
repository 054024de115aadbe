import { type DynamicModule, Global, Logger, Module } from '@nestjs/common';

import type { Config } from '../config/config.ts';
import { ChainWitness } from '../ports/chain-witness.ts';
import { Clock } from '../ports/clock.ts';
import { Meter } from '../ports/meter.ts';
import { Timers } from '../ports/timers.ts';
import { kindOf } from './chain-kinds.ts';
import { ChainWitnesses, type ClosableWitness } from './chain-witnesses.ts';

/** Blocks after which a transfer counts as proven, on a chain that CHAIN_CONFIRMATIONS does not name. */
export const USUAL_CONFIRMATIONS = 20;

/** The witness of the chains that CHAIN_RPC names, for every module. With VERIFY=off it sees none of them. */
@Global()
@Module({})
export class ChainsModule {
  static with(config: Config): DynamicModule {
    const witness = {
      provide: ChainWitness,
      useFactory: (clock: Clock, timers: Timers, meter: Meter) =>
        witnessWith(config, { clock, timers, meter }),
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
  return new ChainWitnesses(isAsking(config) ? await adaptersOf(config, surroundings) : []);
}

/** A process that delivers and nothing else proves nothing. */
function isAsking({ verify, roles }: Config): boolean {
  return verify !== 'off' && (roles.has('api') || roles.has('tracker'));
}

async function adaptersOf(config: Config, surroundings: Surroundings): Promise<ClosableWitness[]> {
  const log = new Logger('ChainWitness');
  const all = [...(config.chainRpc ?? [])];
  const evm = new Map(all.filter(([chainId]) => kindOf(chainId) === 'evm'));
  const unread = all.flatMap(([chainId]) => (evm.has(chainId) ? [] : [chainId]));
  if (unread.length > 0)
    log.warn(
      `CHAIN_RPC names chains that Paybell can't read: ${unread.join(', ')}. Nothing is proven there.`,
    );
  if (evm.size === 0) {
    log.warn(`VERIFY is ${config.verify}, and CHAIN_RPC names no chain: nothing is proven`);
    return [];
  }
  // Its libraries are loaded only where a chain of its kind is read.
  const { EvmWitness } = await import('./rpc-witness.ts');
  const options = {
    urls: evm,
    ...config.chainRpcAccess,
    maxRps: config.chainRpcMaxRps,
    confirmationsOf: (chainId: number) => config.chainConfirmations.get(chainId) ?? USUAL_CONFIRMATIONS,
    ...surroundings,
  };
  return [new EvmWitness(options)];
}
