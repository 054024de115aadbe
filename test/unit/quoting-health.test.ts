import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import {
  ProviderCredentials,
  ProviderMisconfigured,
  ProviderRefused,
  ProviderUnavailable,
} from '../../src/ports/payment-provider.ts';
import { ProviderAtCapacity } from '../../src/ports/provider-at-capacity.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import { QuotingHealth } from '../../src/features/polling/provider-troubles.ts';

const REFUSED_CONNECTION = new ProviderUnavailable('connection refused');
const NO_KEY = new ProviderCredentials();
const NO_API = new ProviderMisconfigured('GET https://pay.example/api/chains');
const CHAINS_AWAY = "its list of chains can't be read: connection refused";
const NO_QUOTES = 'it makes no quotes: connection refused';
const KEY_TROUBLE = 'it does not accept our key';
const FORGOTTEN_AFTER_MS = 300_000;

let watch: QuotingHealth;
let nowMs: number;

beforeEach(() => {
  nowMs = 1_000;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  watch = new QuotingHealth();
});
afterEach(() => {
  jest.restoreAllMocks();
});

it('a provider that has no room for a quote has answered', () => {
  for (let time = 0; time < 2; time += 1) watch.record('quote', REFUSED_CONNECTION);
  expect(watch.trouble).toBe(NO_QUOTES);
  watch.record('quote', new ProviderAtCapacity('25 channels are open'));
  expect(watch.trouble).toBeNull();
});

describe('a provider that was never reached', () => {
  it('is in trouble from the first failure on, until it answers', () => {
    expect(watch.trouble).toBeNull();
    watch.record('chains', REFUSED_CONNECTION);
    expect(watch.trouble).toBe(CHAINS_AWAY);
    watch.record('chains', null);
    expect(watch.trouble).toBeNull();
  });

  it.each([
    [NO_KEY, KEY_TROUBLE],
    [NO_API, 'there is no payment API at its address: check PROVIDER_BASE_URL (without /api)'],
    [new ProviderRefused(404, 'no'), "its list of chains can't be read: status 404"],
  ])('names what is wrong, until it answers: %s', (failure, trouble) => {
    watch.record('chains', failure);
    expect(watch.trouble).toBe(trouble);
    watch.record('chains', null);
    expect(watch.trouble).toBeNull();
  });
});

describe('a provider that works', () => {
  beforeEach(() => watch.record('chains', null));

  it('is not in trouble for one failure, nor for what is no failure of its own', () => {
    watch.record('quote', REFUSED_CONNECTION);
    expect(watch.trouble).toBeNull();
    watch.record('chains', null);
    for (const failure of [new ProviderRefused(400, 'no'), new StoreUnavailable(), new TypeError('a bug')])
      for (let time = 0; time < 5; time += 1) watch.record('quote', failure);
    expect(watch.trouble).toBeNull();
  });

  it('is when the chains fail after a quote, and is well again with the chains alone', () => {
    watch.record('quote', REFUSED_CONNECTION);
    watch.record('chains', REFUSED_CONNECTION);
    expect(watch.trouble).toBe(NO_QUOTES);
    for (let time = 0; time < 5; time += 1) watch.record('quote', REFUSED_CONNECTION);
    watch.record('chains', null);
    expect(watch.trouble).toBeNull();
  });

  it('is when only quotes fail, three in a row, until one is made', () => {
    for (const trouble of [null, null, NO_QUOTES, NO_QUOTES]) {
      watch.record('quote', REFUSED_CONNECTION);
      watch.record('chains', null);
      watch.record('currencies', null);
      expect(watch.trouble).toBe(trouble);
    }
    watch.record('quote', null);
    expect(watch.trouble).toBeNull();
  });

  it('says of a key at once that it is not taken, be it for quotes alone', () => {
    watch.record('quote', NO_KEY);
    watch.record('chains', null);
    expect(watch.trouble).toBe(KEY_TROUBLE);
    watch.record('currencies', null);
    expect(watch.trouble).toBe(KEY_TROUBLE);
    watch.record('quote', new ProviderRefused(422, 'too little'));
    expect(watch.trouble).toBeNull();
  });

  it('reports the key rather than a time-out', () => {
    watch.record('currencies', REFUSED_CONNECTION);
    watch.record('quote', NO_KEY);
    expect(watch.trouble).toBe(KEY_TROUBLE);
  });

  it('is well again when nobody has asked any more for a while', () => {
    watch.record('quote', NO_KEY);
    watch.record('chains', null);
    nowMs += FORGOTTEN_AFTER_MS - 1;
    expect(watch.trouble).toBe(KEY_TROUBLE);
    nowMs += 1;
    expect(watch.trouble).toBeNull();
  });
});

describe('a key that was refused', () => {
  it('is no trouble any more once the provider takes it; what else is wrong stays', () => {
    watch.record('quote', NO_KEY);
    for (let time = 0; time < 3; time += 1) watch.record('currencies', REFUSED_CONNECTION);
    expect(watch.trouble).toBe(KEY_TROUBLE);
    watch.clearKeyTrouble();
    expect(watch.trouble).toBe("its tokens can't be searched: connection refused");
  });
});
