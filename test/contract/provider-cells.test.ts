import { randomUUID } from 'node:crypto';

import { beforeEach, describe, expect, it } from '@jest/globals';

import { RecordSettings } from '../../src/database/events/record-settings.ts';
import { PostgresProviderDatabase } from '../../src/database/polling/provider-database.ts';
import type { PaymentProvider } from '../../src/ports/payment-provider.ts';
import { PaymentProviders, type ProviderStores } from '../../src/ports/provider-cell.ts';
import { FakeDatabaseHealth } from '../support/fakes/database-health.fake.ts';
import { FakeProvider } from '../support/fakes/provider.fake.ts';
import { paymentToAdd } from '../support/payment-to-add.ts';
import { reportOf } from '../support/poll-results.ts';
import { openReplicas } from '../support/replicas.ts';
import { URGENCY_RULES } from '../support/stores.ts';

const LEASE_MS = 1_000;

let first: ProviderStores;
let second: ProviderStores;
let all: PostgresProviderDatabase;

function providerNamed(name: string): PaymentProvider {
  const limits = { maxConcurrency: 4, batchSize: 1, timeoutMs: 5_000, maxRpm: 60, maxQuotesPerMinute: 2 };
  return Object.assign(new FakeProvider(), { name, limits });
}

const { one: stores } = await openReplicas();

beforeEach(async () => {
  const { database, due } = stores;
  const rules = new RecordSettings(900_000, URGENCY_RULES, 'paybell');
  const health = new FakeDatabaseHealth();
  const clock = { now: () => new Date() };
  const providers = new PostgresProviderDatabase(database, rules, clock, due, health);
  all = providers;
  const made = new PaymentProviders([providerNamed(randomUUID()), providerNamed(randomUUID())]);
  [first, second] = made.all.map((provider) => providers.storesOf(provider)) as [
    ProviderStores,
    ProviderStores,
  ];
  for (const { name } of made.all) {
    await database.query('SELECT add_provider($1)', [name]);
    await stores.payments.add(paymentToAdd(randomUUID(), { provider: name, quoteText: null }));
  }
  await database.query('UPDATE payment_schedule SET due_at = now()');
});

it('a provider that is left carries open and watched payments, and no completed ones', async () => {
  const provider = randomUUID();
  await stores.database.query('SELECT add_provider($1)', [provider]);
  for (const status of ['EXECUTING', 'EXPIRED', 'COMPLETED', 'COMPLETED']) {
    const report = reportOf({ status });
    await stores.payments.add(paymentToAdd(randomUUID(), { provider, quoteText: null, report }));
  }
  expect(await all.openOfOthers([])).toContainEqual({ provider, active: 1, watched: 1 });
});

describe('two providers', () => {
  it('have each its own due payments', async () => {
    expect(await first.schedule.nextDueInMs()).toBeLessThanOrEqual(0);
    expect(await first.schedule.claimDue(10, LEASE_MS)).toHaveLength(1);
    expect(await first.schedule.claimDue(10, LEASE_MS)).toEqual([]);
    expect((await first.schedule.nextDueInMs()) ?? 0).toBeGreaterThan(0);
    expect(await second.schedule.nextDueInMs()).toBeLessThanOrEqual(0);
    expect(await second.schedule.claimDue(10, LEASE_MS)).toHaveLength(1);
    expect((await first.schedule.figures()).open).toMatchObject([{ payments: 1 }]);
  });

  it('have each its own rate limit, circuit and interval scale', async () => {
    await first.rateLimit.openCircuit('open', false);
    await first.rateLimit.setScale([2, 3, 4, 5]);
    expect(await first.rateLimit.state()).toMatchObject({
      rateLimit: { circuit: 'open' },
      scale: [2, 3, 4, 5],
    });
    expect(await second.rateLimit.state()).toMatchObject({
      rateLimit: { circuit: 'closed' },
      scale: [1, 1, 1, 1],
    });
    expect(await second.rateLimit.circuitSince()).toBeNull();
    expect(await second.rateLimit.demand()).toMatchObject([{ payments: 1 }]);
  });

  it('have each its own quotes of the last minute', async () => {
    await first.quoteBudget.takeQuote();
    await first.quoteBudget.takeQuote();
    await expect(first.quoteBudget.takeQuote()).rejects.toThrow('its limit of quotes a minute is reached');
    await second.quoteBudget.takeQuote();
  });
});
