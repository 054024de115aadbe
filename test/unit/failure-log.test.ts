import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { FailureLog } from '../../src/features/delivery/delivery-watch.ts';
import type { FailureClass, LoggedTarget, Outcome, Settlement } from '../../src/ports/deliveries.ts';
import { dueDelivery } from '../support/webhook-bench.ts';

let lines: string[];
let log: FailureLog;

beforeEach(() => {
  jest.useFakeTimers();
  lines = [];
  log = new FailureLog((line) => lines.push(line), target);
});
afterEach(() => void jest.useRealTimers());

function target(id: string): LoggedTarget {
  return { id, description: null, name: id };
}

function settlement(outcome: Outcome, retryInMs: number | null = 5_000, attempts = 0): Settlement {
  const delivery = { ...dueDelivery('the-endpoint'), attempts };
  return { delivery, outcome, retryInMs, holdsLane: true, lanePatienceMs: null, ageMs: 5, durationMs: 3 };
}

function failed(failure: FailureClass, httpStatus: number | null = null): Outcome {
  return { kind: 'failed', failure, httpStatus, retryAfterMs: null };
}

function note(times: number, failure: FailureClass): void {
  for (let time = 0; time < times; time += 1) log.noteSettled(settlement(failed(failure)));
}

describe('the log of failures', () => {
  it('logs what failed, how, at which attempt, and when it is tried again', () => {
    log.noteSettled(settlement(failed('status', 503), 5_000, 2));
    log.noteSettled(settlement(failed('timeout')));
    expect(lines).toEqual([
      'payment.completed #1 of q-1 to the-endpoint failed (status 503), attempt 3, again in 5 s',
      'payment.completed #1 of q-1 to the-endpoint failed (timeout), attempt 1, again in 5 s',
    ]);
  });

  it('names the order and the endpoint, in the line and as fields', () => {
    const fields: object[] = [];
    log = new FailureLog(
      (line, ...more) => {
        lines.push(line);
        fields.push(...more);
      },
      (id) => ({ id, description: 'shop EU', name: `${id} ("shop EU")` }),
    );
    const published = settlement(failed('status', 401), 31_000, 2);
    log.noteSettled({ ...published, delivery: { ...published.delivery, orderId: 'A-17' } });
    expect(lines).toEqual([
      'payment.completed #1 of q-1 (order A-17) to the-endpoint ("shop EU") failed (status 401), attempt 3, again in 31 s',
    ]);
    expect(fields).toEqual([
      {
        deliveryId: '1',
        type: 'payment.completed',
        sequence: 1,
        quoteId: 'q-1',
        provider: 'http',
        orderId: 'A-17',
        endpointId: 'the-endpoint',
        description: 'shop EU',
      },
    ]);
  });

  it('names what has no id for a person, such as the exchange, by its name alone', () => {
    const fields: object[] = [];
    const exchange = { id: 'rabbitmq', description: null, name: 'RabbitMQ, exchange payments' };
    log = new FailureLog(
      (line, ...more) => {
        lines.push(line);
        fields.push(...more);
      },
      () => exchange,
    );
    log.noteSettled(settlement(failed('nack')));
    expect(lines).toEqual([
      'payment.completed #1 of q-1 to RabbitMQ, exchange payments failed (nack), attempt 1, again in 5 s',
    ]);
    expect(fields).toEqual([expect.objectContaining({ endpointId: 'rabbitmq' })]);
  });

  it.each([
    [400, '0 s'],
    [119_000, '119 s'],
    [120_000, '2 min'],
    [3_600_000, '60 min'],
    [86_400_000, '24 h'],
  ])('logs a wait of %i ms as %s', (ms, words) => {
    log.noteSettled(settlement(failed('dns'), ms));
    expect(lines[0]).toMatch(new RegExp(`again in ${words}$`));
  });

  it('logs what is given up', () => {
    log.noteSettled(settlement(failed('refused'), null, 15));
    expect(lines).toEqual([expect.stringMatching(/failed \(refused\), attempt 16, given up$/)]);
  });

  it('says nothing of what was delivered or held, or what nobody is bound for', () => {
    log.noteSettled(settlement({ kind: 'delivered', httpStatus: 200 }));
    log.noteSettled(settlement({ kind: 'held', retryInMs: 1_000 }));
    log.noteSettled(settlement(failed('unroutable')));
    jest.advanceTimersByTime(10_000);
    expect(lines).toEqual([]);
  });

  it('logs ten in a second, and then how many more there were, by class', () => {
    note(800, 'timeout');
    note(1, 'tls');
    note(200, 'refused');
    expect(lines).toHaveLength(10);
    jest.advanceTimersByTime(999);
    expect(lines).toHaveLength(10);
    jest.advanceTimersByTime(1);
    expect(lines.slice(10)).toEqual(['and 991 more attempts failed (790 timeout, 200 refused, 1 tls)']);
  });

  it('stays at this rate for as long as the flood lasts', () => {
    for (let ms = 0; ms < 60_000; ms += 10) {
      note(5, 'timeout');
      jest.advanceTimersByTime(10);
    }
    expect(lines).toHaveLength(60 * 11);
    const published = lines.filter((line) => line.startsWith('payment.'));
    const counted = lines
      .filter((line) => line.startsWith('and '))
      .map((line) => Number(/\d+/.exec(line)?.[0]));
    expect(published.length + counted.reduce((sum, count) => sum + count, 0)).toBe(30_000);
  });

  it('counts anew after a quiet second, and says nothing of none', () => {
    note(10, 'reset');
    jest.advanceTimersByTime(5_000);
    note(10, 'reset');
    jest.advanceTimersByTime(5_000);
    expect(lines).toHaveLength(20);
    expect(lines.every((line) => line.startsWith('payment.'))).toBe(true);
  });

  it('logs a single one that was left out, at once when asked', () => {
    note(11, 'reset');
    log.flush();
    expect(lines[10]).toBe('and 1 more attempt failed (1 reset)');
    jest.advanceTimersByTime(5_000);
    expect(lines).toHaveLength(11);
  });
});
