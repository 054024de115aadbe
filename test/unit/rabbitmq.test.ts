import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Backoff } from '../../src/destinations/rabbitmq/backoff.ts';
import { BrokerAddress } from '../../src/destinations/rabbitmq/broker-address.ts';
import { reasonOf } from '../../src/destinations/rabbitmq/broker-error.ts';
import { Deadline } from '../../src/destinations/rabbitmq/deadline.ts';
import type { EventMessage } from '../../src/destinations/rabbitmq/event-message.ts';
import { LonePublisher } from '../../src/destinations/rabbitmq/lone-publisher.ts';
import type { PublishChannel } from '../../src/destinations/rabbitmq/publish-channel.ts';
import { RabbitmqModule } from '../../src/destinations/rabbitmq/rabbitmq.module.ts';
import { configOf } from '../support/config-of.ts';
import { refusalOf } from '../../src/destinations/rabbitmq/refusal.ts';
import { Refusals } from '../../src/destinations/rabbitmq/refusals.ts';
import { UnroutableTypes } from '../../src/destinations/rabbitmq/unroutable-types.ts';
import type { ConsumeMessage } from 'amqplib';
import { copyOf } from '../../src/destinations/rabbitmq/track-queue/message-copy.ts';
import { FailureLog } from '../../src/features/delivery/delivery-watch.ts';
import type { FailureClass, LoggedTarget, Outcome, Settlement } from '../../src/ports/deliveries.ts';
import { dueDelivery } from '../support/webhook-bench.ts';

describe('The wait before the next connection', () => {
  it.each([0, 0.5, 1])(
    'grows from 0.5 s to 30 s within these bounds, at another pace at each replica (random %d)',
    (random) => {
      const backoff = new Backoff(500, 30_000, () => random);

      const waits = Array.from({ length: 12 }, () => backoff.nextMs());

      expect(waits).toEqual([...waits].sort((a, b) => a - b));
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(500);
      expect(Math.max(...waits)).toBe(random === 1 ? 30_000 : 30_000 * (0.5 + random / 2));
      backoff.reset();
      expect(backoff.nextMs()).toBe(waits[0]);
    },
  );
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

  it('shows nothing of a URL that it cannot read', () => {
    let shown = '';
    try {
      shown = new BrokerAddress('amqp://user:secret@bad host:99999999').url;
    } catch (error) {
      shown = inspect(error);
    }

    expect(shown).toContain('cannot be read');
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
      'the virtual host does not exist, its user may not use it, or a limit of connections (of the user or the virtual host) is reached',
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

describe('A message that is published alone', () => {
  const messageOf = (id: string): EventMessage => ({ id, routingKey: 'a', body: Buffer.of(), options: {} });
  const deadline = (): Deadline => new Deadline(30, new AbortController().signal);

  it('is not published once its deadline has passed, though its channel opened too late', async () => {
    const published: string[] = [];
    const publish = ({ id }: EventMessage): Promise<string> => Promise.resolve(String(published.push(id)));
    const channel = { ended: new Promise(() => undefined), publish } as unknown as PublishChannel;
    const open = (): Promise<PublishChannel> => pause(60, channel);
    const lone = new LonePublisher(open, () => Promise.resolve(), 0);
    await expect(lone.publish(messageOf('late'), deadline())).resolves.toBe('late');
    await lone.publish(messageOf('in time'), deadline());
    expect(published).toEqual(['in time']);
  });
});

describe('A refusal of the broker', () => {
  const closed = (code: number, reply: string): Error =>
    withCode(code, `Channel closed by server: ${code} (REPLY) with message "${reply}"`);
  it.each([
    [
      403,
      "ACCESS_REFUSED - access to topic 'a.b' in exchange 'x' in vhost '/' refused for user 'u'",
      'topic',
    ],
    [403, "ACCESS_REFUSED - access to exchange 'x' in vhost '/' refused for user 'u'", 'exchange'],
    [404, "NOT_FOUND - no exchange 'x' in vhost '/'", 'missing'],
    [406, 'PRECONDITION_FAILED - message size 9 is larger than configured max size 8', 'message'],
    [501, 'FRAME_ERROR - type 3', 'message'],
    [320, 'CONNECTION_FORCED - Closed via management plugin', null],
    [530, "NOT_ALLOWED - number of channels opened for user 'u' has reached the maximum", null],
  ])('%i concerns, by its words, %p %p', (code, reply, scope) => {
    const topic = scope === 'topic' ? 'a.b' : null;
    expect(refusalOf(closed(code, reply))).toEqual(scope && { words: reply, scope, topic });
  });

  it('lets one event of a refused topic be tried at most every second, then every ten, until one is taken', () => {
    let nowMs = 0;
    const refusals = new Refusals(120_000, () => nowMs);
    const event = { eventId: 'e', type: 'payment.anomaly' } as const;
    const refusal = { words: 'no', scope: 'topic', topic: event.type } as const;
    const probes: number[] = [];
    for (let count = 0; count < 10; count += 1)
      refusals.noteRefused({ ...event, eventId: `${count}` }, refusal);
    for (; nowMs < 60_000; nowMs += 100) {
      expect(refusals.wayOf({ ...event, type: 'payment.completed' })).toBe('together');
      if (refusals.wayOf(event) !== 'probe') continue;
      probes.push(nowMs / 1_000);
      expect(refusals.wayOf(event)).toEqual({ words: 'no' });
      refusals.noteRefused(event, refusal);
    }
    expect(probes).toEqual([1, 2, 4, 8, 16, 26, 36, 46, 56]);
    refusals.noteTaken({ ...event, eventId: 'another' });
    expect([refusals.wayOf(event), refusals.trouble()]).toEqual(['together', null]);
  });

  it('is remembered of a single event, which goes alone, whatever others of its type do', () => {
    let nowMs = 0;
    const refusals = new Refusals(120_000, () => nowMs);
    const event = { eventId: 'e', type: 'payment.updated' } as const;
    const other = { ...event, eventId: 'f' };
    refusals.suspect(other);
    refusals.noteRefused(event, { words: 'too large', scope: 'message', topic: null });
    refusals.noteNacked({ ...event, type: 'payment.failed' });
    expect([event, other].map((each) => refusals.wayOf(each))).toEqual(['alone', 'alone']);
    refusals.noteRouted(other);
    expect([event, other].map((each) => refusals.wayOf(each))).toEqual(['alone', 'together']);
    const said = ['an event of payment.updated: too large', 'payment.failed (nack): a bound queue is full'];
    expect(refusals.trouble()).toMatchObject({ detail: `the broker refuses ${said.join('; ')}` });
    nowMs = 120_000;
    expect([refusals.wayOf(event), refusals.trouble()]).toEqual(['together', null]);
  });
});

describe('Event types that nobody is bound for', () => {
  let lines: string[];
  let nowMs: number;
  let total: number;
  let types: UnroutableTypes;
  beforeEach(() => {
    [lines, nowMs, total] = [[], 0, 0];
    types = new UnroutableTypes(
      60_000,
      60_000,
      () => (total += 1),
      () => nowMs,
    );
    Logger.overrideLogger({ log: () => undefined, error: () => undefined, warn: (line) => lines.push(line) });
  });
  afterEach(() => Logger.overrideLogger(new Logger()));

  it('are all counted and logged at most once a minute, with how many there were', () => {
    for (nowMs = 0; nowMs < 180_000; nowMs += 1_000) types.noteUnroutable('payment.created', true);
    types.noteUnroutable('payment.created', false);

    expect(total).toBe(180);
    expect(lines).toHaveLength(4);
    expect(lines[1]).toContain('payment.created; events that reached no queue yet: 60');
    expect(lines[3]).toContain('payment.created; events that reached no queue yet: 59');
  });

  it('are all logged at last, though none comes after a burst: when they are tried again', () => {
    for (let event = 0; event < 5; event += 1) types.noteUnroutable('payment.created', true);
    for (nowMs = 1_000; nowMs < 240_000; nowMs += 1_000) types.noteUnroutable('payment.created', false);
    expect(lines).toEqual([
      'No queue is bound for payment.created; events that reached no queue yet: 1',
      'No queue is bound for payment.created; events that reached no queue yet: 4',
    ]);
  });

  it('are remembered for a minute after the last one', () => {
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

function withCode(code: string | number, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function copied(properties: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { ...copyOf({ properties } as unknown as ConsumeMessage, {}) };
}

it('copies the properties that a publisher gave its message', () => {
  const published = {
    contentType: 'application/json',
    messageId: 'm',
    type: 'é'.repeat(127),
    timestamp: 1_800_000_000,
  };
  expect(
    copied({ ...published, headers: { trace: 'abc', retry: false, price: 0.5, count: -3 } }),
  ).toMatchObject({
    ...published,
    headers: { trace: 'abc', retry: false, price: 0.5, count: -3 },
  });
});

it.each([
  ['a text that grew beyond its limit when it was read', 'type', '\uFFFD'.repeat(255)],
  ['a message id that did', 'messageId', '\uFFFD'.repeat(86)],
  ['a time before 1970, which reads as one beyond all numbers', 'timestamp', 2 ** 64],
])('leaves out %s', (_what, name, value) => {
  expect(copied({ [name]: value })[name]).toBeUndefined();
});

it.each([
  ['of numbers that are too large', 'a', -1e300],
  ['whose name grew beyond its limit when it was read', '\uFFFD'.repeat(86), 'x'],
  ['that would send the copy elsewhere', 'CC', 'elsewhere'],
])('leaves out headers %s', (_what, name, value) => {
  expect(copied({ headers: { [name]: value, kept: 1 } })['headers']).toEqual({ kept: 1 });
});

describe('failure log', () => {
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
    it.each([
      [503, 2, 5_000, 'failed (status 503), attempt 3, again in 5 s'],
      [null, 0, 400, 'failed (status), attempt 1, again in 0 s'],
      [null, 0, 119_000, 'failed (status), attempt 1, again in 119 s'],
      [null, 0, 120_000, 'failed (status), attempt 1, again in 2 min'],
      [null, 0, 3_600_000, 'failed (status), attempt 1, again in 60 min'],
      [null, 0, 86_400_000, 'failed (status), attempt 1, again in 24 h'],
      [null, 15, null, 'failed (status), attempt 16, given up'],
    ])(
      'logs HTTP status %p after %i attempts, with the next in %p ms: %s',
      (httpStatus, attempts, retryInMs, words) => {
        log.noteSettled(settlement(failed('status', httpStatus), retryInMs, attempts));
        expect(lines).toEqual([`payment.completed #1 of q-1 to the-endpoint ${words}`]);
      },
    );

    it.each([
      [
        'CERT_HAS_EXPIRED',
        'failed (tls CERT_HAS_EXPIRED), attempt 1, again in 5 s. A certificate of the server has expired',
      ],
      ['ERR_SSL_OTHER', 'failed (tls ERR_SSL_OTHER), attempt 1, again in 5 s'],
    ])('logs the code of a failure, with what to do where that is known: %s', (code, words) => {
      log.noteSettled(settlement({ ...failed('tls'), code } as Outcome));
      expect(lines).toEqual([expect.stringContaining(words)]);
    });

    it.each([
      [
        { id: 'the-endpoint', description: 'shop EU', name: 'the-endpoint ("shop EU")' },
        'A-17',
        'payment.completed #1 of q-1 (order A-17) to the-endpoint ("shop EU") failed (nack), attempt 1, again in 5 s',
        { endpointId: 'the-endpoint', orderId: 'A-17', description: 'shop EU' },
      ],
      [
        { id: 'rabbitmq', description: null, name: 'RabbitMQ (exchange payments)' },
        null,
        'payment.completed #1 of q-1 to RabbitMQ (exchange payments) failed (nack), attempt 1, again in 5 s',
        { endpointId: 'rabbitmq' },
      ],
    ])(
      'names the order and the destination, in the line and as fields: %j',
      (destination, orderId, line, more) => {
        const logged: unknown[] = [];
        log = new FailureLog(
          (...given) => logged.push(...given),
          () => destination,
        );
        const { delivery, ...ended } = settlement(failed('nack'));
        log.noteSettled({ ...ended, delivery: { ...delivery, orderId } });
        const ofPayment = { type: 'payment.completed', sequence: 1, quoteId: 'q-1', provider: 'http' };
        const fields = { deliveryId: '1', orderId: undefined, description: undefined, ...ofPayment, ...more };
        expect(logged).toEqual([line, fields]);
      },
    );

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
});
