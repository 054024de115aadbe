import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Global, Logger, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';

import { kindOf } from '../../../src/chains/chain-kinds.ts';
import { ChainsModule } from '../../../src/chains/chains.module.ts';
import { SYSTEM_TIMERS } from '../../../src/platform/scheduling/system-timers.ts';
import { CorrectedClock } from '../../../src/platform/process/corrected-clock.ts';
import { ChainWitness } from '../../../src/ports/chain-witness.ts';
import { Clock } from '../../../src/ports/clock.ts';
import { Meter } from '../../../src/ports/meter.ts';
import { Timers } from '../../../src/ports/timers.ts';
import { configOf } from '../../support/config-of.ts';
import { FakeMeter } from '../../support/fakes/meter.fake.ts';

const SURROUNDINGS = [
  { provide: Clock, useValue: new CorrectedClock() },
  { provide: Timers, useValue: SYSTEM_TIMERS },
  { provide: Meter, useValue: new FakeMeter() },
];

@Global()
@Module({ providers: SURROUNDINGS, exports: SURROUNDINGS })
class Surroundings {}

const BASE = 8453;
const SOLANA = 792703809;
const RPCS = `${BASE}=https://base.example/hunter2,${SOLANA}=https://solana.example/hunter2,31337=http://10.0.0.1:8545`;

async function witnessOf(env: Record<string, string>): Promise<ChainWitness> {
  const imports = [Surroundings, ChainsModule.with(configOf(env))];
  const module = await Test.createTestingModule({ imports }).compile();
  return module.get(ChainWitness);
}

describe('the witness of all chains', () => {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
  afterEach(() => void warn.mockClear());

  it('sees the EVM chains that CHAIN_RPC names, those that no table has too', async () => {
    const witness = await witnessOf({ VERIFY: 'observe', CHAIN_RPC: RPCS });
    expect([BASE, 31337, SOLANA, 1].map((chainId) => witness.sees(chainId))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(warn.mock.calls).toEqual([[expect.stringContaining(`can't read: ${SOLANA}.`)]]);
  });

  it.each([SOLANA, 1])(
    'proves nothing and contradicts nothing on chain %i, which it does not see',
    async (chainId) => {
      const witness = await witnessOf({ VERIFY: 'require', CHAIN_RPC: RPCS });
      const output = {
        chainId,
        token: null,
        recipient: 'anybody',
        leastAmount: 1n,
        txHashes: [],
        since: new Date(),
      };
      expect(await witness.inspectOutput(output)).toMatchObject({
        state: 'inconclusive',
        reason: 'no_witness',
        askAgainMs: null,
        sources: [],
      });
      const deposit = { chainId, token: null, depositAddress: 'anywhere', txHashes: [], since: new Date() };
      expect(await witness.inspectDeposit(deposit)).toEqual({ deposit: null, askAgainMs: null });
    },
  );

  it.each([
    [{ CHAIN_RPC: RPCS }, 0],
    [{ VERIFY: 'off', CHAIN_RPC: RPCS }, 0],
    [{ VERIFY: 'observe', CHAIN_RPC: RPCS, ROLES: 'dispatcher' }, 0],
    [{ VERIFY: 'observe' }, 1],
  ])('sees nothing with %j', async (env, warnings) => {
    const witness = await witnessOf(env);
    expect(witness.sees(BASE)).toBe(false);
    expect(warn.mock.calls).toHaveLength(warnings);
  });

  it('knows the kinds of chains by their table', () => {
    expect([1, BASE, SOLANA, 8253038, 728126428, 999_999].map(kindOf)).toEqual([
      'evm',
      'evm',
      'solana',
      'bitcoin',
      'other',
      'evm',
    ]);
  });
});
