import { inspect } from 'node:util';

import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { Backoff } from '../../src/destinations/rabbitmq/backoff.ts';
import { BrokerAddress } from '../../src/destinations/rabbitmq/broker-address.ts';
import { reasonOf } from '../../src/destinations/rabbitmq/broker-error.ts';
import { RabbitmqHealth } from '../../src/destinations/rabbitmq/rabbitmq-health.ts';
import { RabbitmqModule } from '../../src/destinations/rabbitmq/rabbitmq.module.ts';
import { configOf } from '../support/config-of.ts';
import { UnroutableTypes } from '../../src/destinations/rabbitmq/warned-types.ts';

describe('The wait before the next connection', () => {
  it.each([0, 0.5, 1])('grows from 0.5 s to 30 s and never leaves these bounds (random %d)', (random) => {
    const backoff = new Backoff(500, 30_000, () => random);

    const waits = Array.from({ length: 12 }, () => backoff.nextMs());

    expect(waits).toEqual([...waits].sort((a, b) => a - b));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(500);
    expect(Math.max(...waits)).toBe(random === 1 ? 30_000 : 30_000 * (0.5 + random / 2));
    backoff.reset();
    expect(backoff.nextMs()).toBe(waits[0]);
  });

  it('is jittered, so that replicas do not come back together', () => {
    expect(new Backoff(500, 30_000, () => 0).nextMs()).not.toBe(new Backoff(500, 30_000, () => 1).nextMs());
  });
});

describe("The broker's address", () => {
  it('keeps the user and the password out of the URL, and reads them as UTF-8', () => {
    const address = new BrokerAddress('amqps://us%C3%A9r:p%40ss%C3%A4@broker.example:5671/shop%2Feu');

    expect(address.url).toBe('amqps://broker.example:5671/shop%2Feu?heartbeat=10');
    expect(address.credentials.response().toString()).toBe('\0usér\0p@ssä');
  });

  it('falls back to guest as RabbitMQ does, and asks for a heartbeat of 10 s unless set otherwise', () => {
    expect(new BrokerAddress('amqp://localhost').credentials.response().toString()).toBe('\0guest\0guest');
    expect(new BrokerAddress('amqp://localhost?heartbeat=3').url).toBe('amqp://localhost?heartbeat=3');
  });

  it('shows nothing of a URL that it can not read', () => {
    let shown = '';
    try {
      shown = new BrokerAddress('amqp://user:secret@bad host:99999999').url;
    } catch (error) {
      shown = inspect(error);
    }

    expect(shown).toContain('can not be read');
    expect(shown).not.toContain('secret');
  });
});

describe('The reason shown for an error', () => {
  it.each([
    [withCode('ECONNREFUSED', 'connect ECONNREFUSED 10.1.2.3:5672'), 'connection refused'],
    [withCode('ENOTFOUND', 'getaddrinfo ENOTFOUND rabbit.internal'), 'its host name is not known'],
    [withCode('CERT_HAS_EXPIRED', 'certificate has expired'), 'TLS failed (CERT_HAS_EXPIRED)'],
    [withCode('EADDRNOTAVAIL', 'connect 10.1.2.3'), 'the connection failed (EADDRNOTAVAIL)'],
    [
      new Error(
        'Handshake terminated by server: 403 (ACCESS-REFUSED) with message "ACCESS_REFUSED - Login …"',
      ),
      'user name or password refused',
    ],
    [
      new Error('Expected ConnectionOpenOk; got <ConnectionClose channel:0>'),
      'the virtual host does not exist or is refused',
    ],
    [
      withCode(320, 'Connection closed: 320 (CONNECTION-FORCED) with message "CONNECTION_FORCED - shutdown"'),
      'closed by the broker: CONNECTION_FORCED - shutdown',
    ],
    [new Error('connect to 10.1.2.3 as user:secret'), 'the connection broke'],
    [undefined, 'the connection broke'],
    ['text', 'the connection broke'],
  ] as const)('never shows what an address or a secret could be in (%#)', (error, reason) => {
    expect(reasonOf(error)).toBe(reason);
  });
});

describe('Event types that nobody is bound for', () => {
  let lines: string[];
  beforeEach(() => {
    lines = [];
    Logger.overrideLogger({ log: () => undefined, error: () => undefined, warn: (line) => lines.push(line) });
  });
  afterEach(() => Logger.overrideLogger(new Logger()));

  it('are all counted and logged at most once a minute, with how many there were', () => {
    let nowMs = 0;
    let total = 0;
    const types = new UnroutableTypes(
      60_000,
      60_000,
      () => (total += 1),
      () => nowMs,
    );
    for (nowMs = 0; nowMs < 180_000; nowMs += 1_000) types.noteUnroutable('payment.created', true);
    types.noteUnroutable('payment.created', false);

    expect(total).toBe(180);
    expect(lines).toHaveLength(4);
    expect(lines[1]).toContain('payment.created; events that reached no queue yet: 60');
    expect(lines[3]).toContain('payment.created; events that reached no queue yet: 59');
  });

  it('are all logged at last, though none comes after a burst: when they are tried again', () => {
    let nowMs = 0;
    const types = new UnroutableTypes(
      60_000,
      60_000,
      () => undefined,
      () => nowMs,
    );
    for (let event = 0; event < 5; event += 1) types.noteUnroutable('payment.created', true);
    for (nowMs = 1_000; nowMs < 240_000; nowMs += 1_000) types.noteUnroutable('payment.created', false);
    expect(lines).toEqual([
      'No queue is bound for payment.created; events that reached no queue yet: 1',
      'No queue is bound for payment.created; events that reached no queue yet: 4',
    ]);
  });

  it('are remembered for a minute after the last one', () => {
    let nowMs = 0;
    const types = new UnroutableTypes(
      60_000,
      60_000,
      () => undefined,
      () => nowMs,
    );
    types.noteUnroutable('payment.created', true);
    nowMs = 59_999;
    expect(types.types()).toEqual(['payment.created']);
    nowMs = 60_000;
    expect(types.types()).toEqual([]);
    expect(types.has('payment.created')).toBe(false);
  });
});

describe('the row of the exchange', () => {
  it('is disabled only by a process that would publish', async () => {
    const targets = async (env: Record<string, string>) =>
      (await RabbitmqModule.wire(configOf(env))).descriptor.targets;
    expect(await targets({ RABBITMQ_URL: 'amqp://x', ROLES: 'api' })).toEqual({ isEnabled: true });
    expect(await targets({ ROLES: 'api,tracker' })).toEqual({ isEnabled: null });
    expect(await targets({})).toEqual({ isEnabled: false });
  });
});

describe('RabbitMQ that a process has nothing to do with', () => {
  it('is off in health, with the reason', () => {
    expect(new RabbitmqHealth([], 'why').health()).toEqual({ status: 'off', detail: 'why' });
  });
});

function withCode(code: string | number, message: string): Error {
  return Object.assign(new Error(message), { code });
}
