import { expect, it } from '@jest/globals';

import { ListedTokens } from '../../../src/features/proof/listed-tokens.ts';
import { FakeClock } from '../../support/fakes/clock.fake.ts';

const USDC = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const ANSWER = JSON.stringify({ currencies: [{ chainId: 8453, address: USDC, decimals: 6 }] });
const LISTED = [{ chainId: 8453, address: USDC, decimals: 6 }];

it('asks for a list again after ten minutes, and after half a minute for one that did not come', async () => {
  const clock = new FakeClock();
  const tokens = new ListedTokens(clock.timers);
  let asked = 0;
  let searchCurrencies = (): Promise<string> => Promise.reject(new Error('away'));
  const provider = {
    name: 'http',
    searchCurrencies: () => {
      asked += 1;
      return searchCurrencies();
    },
  };
  const after = async (ms: number) => {
    clock.advance(ms);
    return [await tokens.of(provider, 8453), asked];
  };
  expect(await after(0)).toEqual([[], 1]);
  expect(await after(29_999)).toEqual([[], 1]);
  searchCurrencies = () => Promise.resolve(ANSWER);
  expect(await after(1)).toEqual([LISTED, 2]);
  expect(await after(599_999)).toEqual([LISTED, 2]);
  expect(await after(1)).toEqual([LISTED, 3]);
});
