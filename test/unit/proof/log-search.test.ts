import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { LogSearch } from '../../../src/chains/evm/log-search.ts';
import type { Question } from '../../../src/chains/rpc/json-rpc.ts';
import type { Rpc } from '../../../src/chains/rpc/rpc.ts';
import { isRangeRefusal, RpcTrouble } from '../../../src/chains/rpc/rpc-trouble.ts';
import type { ShownTransfer } from '../../../src/domain/proof/shown.ts';
import { MovedTimers } from '../../support/chain/witness.ts';
import { transfer } from '../../support/chain/shown.ts';

const FILTER = { token: null, to: `0x${'ab'.repeat(20)}` };
const UNSETTLED = 5;

/** An RPC of a chain that has a transfer in each seventh block. */
class LogsRpc {
  mostBlocks = Infinity;
  isFailing = false;
  readonly asked: { from: number; to: number }[] = [];

  static transfersIn({ from, to }: { from: number; to: number }): ShownTransfer[] {
    const numbers = Array.from({ length: Math.max(to - from + 1, 0) }, (_, at) => from + at);
    return numbers
      .filter((number) => number % 7 === 0)
      .map((blockNumber) => transfer({ blockNumber, logIndex: 1 }));
  }

  readonly ask = (async ({ call }: Question<unknown>) => {
    const { fromBlock, toBlock } = call.params[0] as Record<'fromBlock' | 'toBlock', string>;
    const range = { from: Number(fromBlock), to: Number(toBlock) };
    this.asked.push(range);
    if (this.isFailing) throw new RpcTrouble('rpc_error', 'answers error -32603 to eth_getLogs', 15_000);
    return [range.to - range.from + 1 > this.mostBlocks ? 'refused' : LogsRpc.transfersIn(range)];
  }) as unknown as Rpc['ask'];
}

function searched(mostBlocks = Infinity) {
  const rpc = new LogsRpc();
  const timers = new MovedTimers();
  rpc.mostBlocks = mostBlocks;
  const search = new LogSearch(rpc.ask, UNSETTLED, timers);
  const find = (from: number, to: number, more = {}): Promise<ShownTransfer[] | string> =>
    search.find({ ...FILTER, ...more }, { from, to }).catch((error: RpcTrouble) => error.message);
  return { rpc, timers, find };
}

describe('a search of logs', () => {
  it('goes on where it stopped, the newest blocks first, and asks again for those that may be replaced', async () => {
    const { rpc, find } = searched(10);
    expect(await find(1, 200)).toBe('answers about too few blocks at once');
    const taken = rpc.asked.filter(({ from, to }) => to - from < 10);
    expect(taken[0]).toMatchObject({ to: 200 });
    expect(taken.map(({ to }) => to)).toEqual(
      taken.map(({ to }) => to).toSorted((one, other) => other - one),
    );
    const oldest = taken.at(-1)?.from ?? 0;
    rpc.asked.length = 0;
    expect(await find(1, 203)).toEqual(LogsRpc.transfersIn({ from: 1, to: 203 }));
    const again = rpc.asked.filter(({ to }) => to >= oldest);
    expect(Math.min(...again.map(({ from }) => from))).toBe(200 - UNSETTLED + 1);
    expect(rpc.asked.find(({ to }) => to < oldest)).toMatchObject({ to: oldest - 1 });
  });

  it('is not gone on with where transfers from the address are searched for, and not those to it', async () => {
    const { rpc, find } = searched(10);
    await find(1, 200);
    rpc.mostBlocks = Infinity;
    rpc.asked.length = 0;
    await find(1, 200, { isOut: true });
    expect(rpc.asked.some(({ from, to }) => from <= 150 && to >= 150)).toBe(true);
  });

  it('begins anew where those after it keep as many transfers as memory is given', async () => {
    const { rpc, find } = searched(1_600);
    const ofWallet = (n: number) => ({ to: `0x${String(n).repeat(40)}` });
    for (let n = 0; n < 9; n += 1) await find(1, 60_000, ofWallet(n));
    const isAnew = async (n: number): Promise<boolean> => {
      rpc.asked.length = 0;
      await find(1, 60_000, ofWallet(n));
      return rpc.asked.some(({ from, to }) => from <= 59_000 && to >= 59_000);
    };
    expect([await isAnew(8), await isAnew(0)]).toEqual([false, true]);
  });

  it('is not shortened by errors that refuse no range, and finds all once they are over', async () => {
    const { rpc, find } = searched();
    rpc.isFailing = true;
    for (let tries = 0; tries < 5; tries += 1) expect(await find(1, 9_000)).toMatch('error -32603');
    rpc.isFailing = false;
    rpc.asked.length = 0;
    expect(await find(1, 9_000)).toHaveLength(1_285);
    expect(rpc.asked).toEqual([{ from: 1, to: 9_000 }]);
  });

  it('asks for longer ranges again after answers, and for one that was refused ten minutes later', async () => {
    const { rpc, timers, find } = searched(60);
    await find(1, 2_000);
    rpc.mostBlocks = 500;
    const longest = async (): Promise<number> => {
      rpc.asked.length = 0;
      await find(1, 2_000);
      return Math.max(...rpc.asked.map(({ from, to }) => to - from + 1));
    };
    expect(await longest()).toBeLessThan(125);
    timers.pass(600_000);
    expect(await longest()).toBeGreaterThan(250);
  });

  it('says why where a single block is refused', async () => {
    expect(await searched(0).find(1, 8)).toBe('refuses the logs of a single block');
  });

  it('answers all transfers of a range or none, whatever is refused, fails or is searched beside it', async () => {
    const step = fc.record({
      from: fc.integer({ min: 1, max: 300 }),
      newBlocks: fc.integer({ min: 0, max: 120 }),
      mostBlocks: fc.constantFrom(1, 2, 10, 40, 1_000),
      isFailing: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const { rpc, find } = searched();
        let head = 310;
        for (const { from, newBlocks, mostBlocks, isFailing } of steps) {
          Object.assign(rpc, { mostBlocks, isFailing });
          head += newBlocks;
          const found = await find(from, head);
          if (typeof found !== 'string') expect(found).toEqual(LogsRpc.transfersIn({ from, to: head }));
        }
      }),
    );
  });
});

describe('an error to eth_getLogs', () => {
  it.each([
    [-32_602, 'exceed max block range: 5000', true],
    [-32_005, 'query returned more than 10000 results', true],
    [-32_005, 'limit exceeded', true],
    [-32_602, 'block range too large', true],
    [-32_614, 'eth_getLogs is limited to a 50 blocks range', true],
    [-32_000, 'query exceeds max results 20000, retry with the range 1-2', true],
    [-32_602, 'Log response size exceeded.', true],
    [-32_600, 'block range is too wide', true],
    [-32_000, 'too many logs', true],
    [-32_603, 'Internal error', false],
    [-32_000, 'failed to generate logs', false],
    [-32_000, 'block range extends beyond current head block', false],
    [-32_000, 'invalid block range params', false],
    [-32_000, 'header not found', false],
    [-32_005, 'missing trie node', false],
    [-32_601, 'the method does not exist', false],
  ])('%i %j refuses the range: %s', (code, message, isRefusal) => {
    expect(isRangeRefusal({ code, message })).toBe(isRefusal);
  });
});
