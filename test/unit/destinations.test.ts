import { describe, expect, it } from '@jest/globals';

import { destinationView, type Beside } from '../../src/features/destinations/destination-view.ts';
import { destinationFacts } from '../support/destination-facts.ts';

const NOON = new Date('2026-11-20T12:00:00.000Z');
const LATER = new Date('2026-11-20T12:05:00.000Z');
const BESIDE: Beside = { trouble: null, isUnreadable: false, counts: {} };
const EXCHANGE = { id: 'rabbitmq', kind: 'rabbitmq', name: 'RabbitMQ, exchange payments', url: null };
const FAILED = { at: NOON, failure: 'nack', httpStatus: null, excerpt: null, deliveryId: '7' };

const refused = (payments: number) => ({ payments, since: NOON, examples: [] });

describe('a destination', () => {
  it('that works has no time since when, and its latency of the last hour', () => {
    const counts = { l3: 2 };
    expect(destinationView(destinationFacts({ lastDeliveredAt: NOON }), { ...BESIDE, counts })).toMatchObject(
      {
        state: 'ok',
        since: null,
        lastFailure: null,
        lastDeliveredAt: NOON,
        latency: { count: 2 },
      },
    );
  });

  it('says with which answer it failed last, and since when', () => {
    const lastFailure = {
      ...FAILED,
      failure: 'status',
      httpStatus: 500,
      excerpt: Buffer.from('out of stock'),
    };
    const facts = destinationFacts({ failingSince: NOON, failingPayments: 1, lastFailure });
    expect(destinationView(facts, BESIDE)).toMatchObject({
      state: 'failing',
      since: NOON,
      lastFailure: { at: NOON, failure: 'status', httpStatus: 500, text: 'out of stock', deliveryId: '7' },
    });
  });

  it('is down while its broker is away, whatever failed before', () => {
    const trouble = { problem: 'away', detail: 'connection refused', since: LATER } as const;
    const facts = destinationFacts({ ...EXCHANGE, lastFailure: FAILED });
    expect(destinationView(facts, { ...BESIDE, trouble })).toMatchObject({
      id: 'rabbitmq',
      state: 'open',
      since: LATER,
      lastFailure: { at: LATER, failure: 'away', text: 'connection refused', deliveryId: null },
    });
  });

  it('refuses where its broker takes other events, and fails where it takes none', () => {
    const trouble = { problem: 'refuses', detail: 'a bound queue is full', since: NOON } as const;
    const facts = destinationFacts({ ...EXCHANGE, refused: refused(2), lastFailure: FAILED });
    expect(destinationView({ ...facts, lastDeliveredAt: LATER }, { ...BESIDE, trouble })).toMatchObject({
      state: 'refusing',
      since: NOON,
      refused: { payments: 2 },
      lastFailure: { failure: 'nack', text: 'a bound queue is full', deliveryId: '7' },
    });
    expect(destinationView(facts, { ...BESIDE, trouble })).toMatchObject({ state: 'failing', since: NOON });
  });
});
