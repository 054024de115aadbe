import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { ProviderUnavailable } from '../../src/ports/payment-provider.ts';
import { OneClickAssets } from '../../src/providers/oneclick/assets.ts';
import { JsonApi } from '../../src/providers/shared/json-api.ts';
import { MovedTimers } from '../support/chain/witness.ts';

const FRESH_MS = 600_000;
const USDC = {
  assetId: 'nep141:base-usdc',
  blockchain: 'base',
  symbol: 'USDC',
  decimals: 6,
  contractAddress: `0x${'83'.repeat(20)}`,
};
const SHORT = JSON.stringify([USDC]);
/** A list of 11 MB. */
const LONG = JSON.stringify([{ ...USDC, note: 'x'.repeat(11_000_000) }]);

let server: Server;
let api: JsonApi;
let list: string;

beforeAll(async () => {
  server = createServer((_request, response) => response.end(list));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  api = new JsonApi({ baseUrl, apiKey: null, timeoutMs: 30_000, maxConcurrency: 4 });
});

afterAll(async () => {
  await api.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

it.each([
  ['of over 10 MB', LONG],
  ['that is none', '{"message":"maintenance"}'],
])("keeps a provider's last good list of tokens when it answers one %s", async (_what, bad) => {
  const timers = new MovedTimers();
  list = bad;
  await expect(new OneClickAssets(api, timers).get()).rejects.toBeInstanceOf(ProviderUnavailable);
  list = SHORT;
  const assets = new OneClickAssets(api, timers);
  const good = await assets.get();
  expect(good).toMatchObject([{ symbol: 'USDC', decimals: 6 }]);
  list = bad;
  timers.pass(FRESH_MS);
  expect(await assets.get()).toBe(good);
  await expect(assets.readAgain()).rejects.toBeInstanceOf(ProviderUnavailable);
  list = JSON.stringify([{ ...USDC, decimals: 7 }]);
  expect(await assets.get()).toBe(good);
  timers.pass(FRESH_MS);
  expect(await assets.get()).toMatchObject([{ decimals: 7 }]);
});
