import { beforeEach, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';

import { PrometheusMeter } from '../../src/platform/metrics/prometheus-meter.ts';
import { DESTINATION_KINDS } from '../support/destination-kinds.ts';
import { PrometheusText } from '../support/prometheus-text.ts';

const DURATION = 'paybell_delivery_attempt_duration_seconds';
const DELAY = 'paybell_delivery_delay_seconds';
const ATTEMPTS = 'paybell_delivery_attempts_total';
const AT_WEBHOOKS = [
  'blocked_address',
  'delivered',
  'dns',
  'gone',
  'held',
  'redirect',
  'refused',
  'reset',
  'status',
  'timeout',
  'tls',
  'too_large',
];
const HOUR_MS = 3_600_000;
const WEBHOOK = { kind: 'webhook', id: '0f8fad5b-d9cb-469f-a165-70867728950e' };
const EXCHANGE = { kind: 'rabbitmq', id: '7c9e6679-7425-40de-944b-e07fc1f90ae7' };

let registry: Registry;
let meter: PrometheusMeter;

beforeEach(() => {
  registry = new Registry();
  meter = new PrometheusMeter(registry, DESTINATION_KINDS);
});

async function scrape(): Promise<PrometheusText> {
  return new PrometheusText(await registry.metrics());
}

describe('what the meter counts of deliveries', () => {
  it('is there at zero before anything has happened', async () => {
    const scraped = await scrape();
    const outcomesAt = (destination: string): string[] =>
      scraped
        .samplesOf(ATTEMPTS)
        .filter(({ labels, value }) => labels['destination'] === destination && value === 0)
        .map(({ labels }) => labels['outcome'] ?? '')
        .sort();
    expect(outcomesAt('webhook')).toEqual(AT_WEBHOOKS);
    expect(outcomesAt('rabbitmq')).toEqual(['delivered', 'held', 'nack', 'unroutable']);
    for (const destination of ['webhook', 'rabbitmq']) {
      expect(scraped.value(`${DURATION}_count`, { destination })).toBe(0);
      expect(scraped.value(`${DELAY}_count`, { destination })).toBe(0);
      expect(scraped.value('paybell_deliveries_given_up_total', { destination })).toBe(0);
    }
    for (const reason of ['gone', 'failing'])
      expect(scraped.value('paybell_endpoints_disabled_total', { reason })).toBe(0);
  });

  it('separates attempts by destination and outcome, and times all but those that were held', async () => {
    meter.attempted(WEBHOOK, 'delivered', 8);
    meter.attempted(WEBHOOK, 'timeout', 15_000);
    meter.attempted(WEBHOOK, 'held', 700);
    meter.attempted(EXCHANGE, 'nack', 2);
    const scraped = await scrape();
    const count = (destination: string, outcome: string): number | undefined =>
      scraped.value(ATTEMPTS, { destination, outcome });
    expect([count('webhook', 'delivered'), count('webhook', 'timeout'), count('webhook', 'held')]).toEqual([
      1, 1, 1,
    ]);
    expect([count('rabbitmq', 'nack'), count('rabbitmq', 'delivered')]).toEqual([1, 0]);
    expect(scraped.value(`${DURATION}_count`, { destination: 'webhook' })).toBe(2);
    expect(scraped.value(`${DURATION}_sum`, { destination: 'webhook' })).toBeCloseTo(15.008);
    expect(scraped.value(`${DURATION}_bucket`, { destination: 'webhook', le: '0.01' })).toBe(1);
    expect(scraped.value(`${DURATION}_count`, { destination: 'rabbitmq' })).toBe(1);
  });

  it('shows delays of milliseconds and of hours', async () => {
    for (const delayMs of [9, 140, 3 * HOUR_MS, 76 * HOUR_MS, -5]) meter.acknowledged(WEBHOOK, delayMs);
    meter.acknowledged(WEBHOOK, Number.NaN);
    const scraped = await scrape();
    const bucket = (le: string): number | undefined =>
      scraped.value(`${DELAY}_bucket`, { destination: 'webhook', le });
    expect(['0.005', '0.01', '0.15', '3600', '14400', '86400', '300000'].map(bucket)).toEqual([
      1, 2, 3, 3, 4, 4, 5,
    ]);
    expect(scraped.value(`${DELAY}_count`, { destination: 'webhook' })).toBe(5);
  });

  it('counts what was given up, and endpoints that were disabled, by the reason', async () => {
    meter.givenUp(WEBHOOK);
    meter.givenUp(WEBHOOK);
    meter.endpointDisabled('gone');
    const scraped = await scrape();
    expect(scraped.value('paybell_deliveries_given_up_total', { destination: 'webhook' })).toBe(2);
    expect(scraped.value('paybell_deliveries_given_up_total', { destination: 'rabbitmq' })).toBe(0);
    expect(scraped.value('paybell_endpoints_disabled_total', { reason: 'gone' })).toBe(1);
    expect(scraped.value('paybell_endpoints_disabled_total', { reason: 'failing' })).toBe(0);
  });
});

describe('what the meter counts of RabbitMQ', () => {
  it('is events that nobody was bound for, and tries at track messages by what they came to', async () => {
    const before = await scrape();
    expect(before.value('paybell_rabbitmq_unroutable_total')).toBe(0);
    for (const outcome of ['taken', 'rejected', 'held', 'failed'])
      expect(before.value('paybell_track_messages_total', { outcome })).toBe(0);
    meter.unroutable();
    meter.trackMessage('held');
    meter.trackMessage('held');
    const after = await scrape();
    expect(after.value('paybell_rabbitmq_unroutable_total')).toBe(1);
    expect(after.value('paybell_track_messages_total', { outcome: 'held' })).toBe(2);
    expect(after.value('paybell_track_messages_total', { outcome: 'taken' })).toBe(0);
  });
});
