import { afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { connect } from 'amqplib';

import type { RabbitmqDestination } from '../../src/destinations/rabbitmq/rabbitmq-destination.ts';
import type { DueDelivery, Outcome } from '../../src/ports/deliveries.ts';
import { describeWithPrivateBroker, startPrivateBroker } from '../support/broker.ts';
import type { PrivateBroker } from '../../tools/testkit/private-broker.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { deliver, deliverUntilDelivered, isReady, owed, Scripted, Workbench } from './rabbitmq-workbench.ts';

const USER = 'shop';
const DELIVERED = { kind: 'delivered', httpStatus: null, isRouted: true };
const START_MS = 120_000;
const TEST_MS = 120_000;
const EVERYTHING = '.*';
const NOTHING = '^$';

/** The broker's words for the refusal of this attempt; null: it was not refused. */
function wordsOf(outcome: Outcome): string | null {
  if (outcome.kind !== 'failed' || outcome.failure !== 'broker_refused') return null;
  return outcome.trace?.excerpt?.toString() ?? '';
}

describeWithPrivateBroker('Publishing to a RabbitMQ that refuses some of it', () => {
  let broker: PrivateBroker;
  let bench: Workbench;
  let url: string;
  beforeAll(async () => {
    broker = await startPrivateBroker();
    url = broker.url.replace('guest:guest', `${USER}:secret`);
    await broker.control('add_user', USER, 'secret');
    await permit(EVERYTHING, EVERYTHING, EVERYTHING);
  }, START_MS);
  beforeEach(async () => {
    bench = await Workbench.open(broker.url);
  });
  afterEach(() => bench.close());

  function permit(configure: string, write: string, read: string): Promise<string> {
    return broker.control('set_permissions', '-p', '/', USER, configure, write, read);
  }

  function permitTypes(types: string): Promise<string> {
    return broker.control('set_topic_permissions', '-p', '/', USER, bench.exchange, types, EVERYTHING);
  }

  /** Publishes as the dispatcher does until the broker takes the event; returns the words of the refusals. */
  async function refusedUntilTaken(destination: RabbitmqDestination, event: DueDelivery): Promise<string[]> {
    const words: string[] = [];
    const taken = async (): Promise<boolean> => {
      await isReady(destination);
      const outcome = await deliver(destination, { ...event, attempts: words.length });
      words.push(...[wordsOf(outcome)].filter((each) => each !== null));
      return outcome.kind === 'delivered';
    };
    await waitFor(taken, { everyMs: 300 });
    return words;
  }

  it(
    'fails the events of a refused topic alone, with its words; others pass at once, and these once it is allowed',
    async () => {
      await permitTypes('^payment\\.(created|completed)$');
      const messages = await bench.consume(await bench.queue());
      const destination = await bench.ready(url);
      const anomalies = [owed({ type: 'payment.anomaly' }), owed({ type: 'payment.anomaly' })];
      const others = Array.from({ length: 40 }, () => owed());
      const events = [...others.slice(0, 20), ...anomalies, ...others.slice(20)];
      const startedAt = performance.now();

      const outcomes = await Promise.all(events.map((event) => deliver(destination, event)));
      await Promise.all(others.map((event) => deliverUntilDelivered(destination, event)));

      expect(performance.now() - startedAt).toBeLessThan(5_000);
      const words = outcomes.map(wordsOf);
      const refused = expect.stringContaining("access to topic 'payment.anomaly' in exchange");
      expect(words.filter((each) => each !== null)).toEqual([refused, refused]);
      expect([words[20], words[21]]).toEqual([refused, refused]);
      const trouble = destination.trouble();
      expect(trouble).toMatchObject({
        problem: 'refuses',
        detail: expect.stringMatching(/^the broker refuses payment\.anomaly: ACCESS_REFUSED - .*[^.]$/),
      });
      expect(destination.health()).toEqual({ status: 'degraded', detail: trouble?.detail });

      // Probes use a channel of their own: no message in flight is lost.
      for (let count = 0; count < 8; count += 1) {
        const both = [...anomalies, ...others.map(() => owed())].map((event) => deliver(destination, event));
        const kinds = (await Promise.all(both)).map(({ kind }) => kind);
        expect(kinds).toEqual([...anomalies.map(() => 'failed'), ...others.map(() => 'delivered')]);
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
      expect(destination.trouble()?.since).toEqual(trouble?.since);

      await permitTypes(EVERYTHING);
      for (const event of anomalies) await refusedUntilTaken(destination, event);
      expect(destination.health()).toEqual({ status: 'ok' });
      await waitFor(
        () => messages.filter(({ fields }) => fields.routingKey === 'payment.anomaly').length === 2,
      );
      const said = bench.logged.filter((line) => /RabbitMQ (refuses|takes) payment\.anomaly/.test(line));
      expect(said).toEqual([expect.stringContaining('refuses'), expect.stringContaining('takes')]);
      expect(bench.logged.filter((line) => line.startsWith('RabbitMQ is not usable'))).toEqual([]);
    },
    TEST_MS,
  );

  it(
    'fails every event where the user may not write, says since when, and publishes once the user may',
    async () => {
      await bench.queue();
      const [one, another] = [await bench.ready(url), await bench.ready(url)];
      await permit(EVERYTHING, NOTHING, EVERYTHING);
      const event = owed();
      // A channel that has published keeps its permissions for a while.
      const words = await waitFor(async () => wordsOf(await deliver(one, event)));
      expect(words).toContain(`access to exchange '${bench.exchange}'`);
      const trouble = one.trouble();
      expect(trouble).toMatchObject({
        problem: 'refuses',
        detail: `the broker refuses every event: ${words}`,
      });
      const refused = await waitFor(async () => wordsOf(await deliver(another, owed())));
      expect(refused).toBe(words);
      await isReady(one);
      for (let count = 0; count < 8; count += 1) {
        expect(
          await Promise.all([owed(), owed()].map(async (each) => wordsOf(await deliver(one, each)))),
        ).toEqual([words, words]);
        await new Promise((resolve) => setTimeout(resolve, 400));
      }
      expect(one.trouble()?.since).toEqual(trouble?.since);

      await permit(EVERYTHING, EVERYTHING, EVERYTHING);
      for (const destination of [one, another]) {
        await refusedUntilTaken(destination, owed());
        await expect(deliver(destination, owed())).resolves.toEqual(DELIVERED);
        expect(destination.trouble()).toBeNull();
      }
    },
    TEST_MS,
  );

  it(
    'finds the event that is too large for the broker among those in flight, though no word names it',
    async () => {
      await bench.queue();
      await broker.control('eval', 'application:set_env(rabbit, max_message_size, 5000).');
      const destination = await bench.ready(url);
      const large = owed({ type: 'payment.updated', body: `{"x":"${'x'.repeat(6_000)}"}` });
      const others = Array.from({ length: 30 }, () => owed());

      const events = [...others.slice(0, 15), large, ...others.slice(15)];
      const outcomes = await Promise.all(events.map((event) => deliver(destination, event)));
      expect(outcomes[15]?.kind).toBe('held');
      const [words] = await Promise.all([
        waitFor(async () => {
          await isReady(destination);
          return wordsOf(await deliver(destination, large));
        }),
        ...others.map((event) => deliverUntilDelivered(destination, event)),
      ]);
      expect(words).toMatch(/PRECONDITION_FAILED - message size \d+ .*larger than .*5000/);
      expect(destination.trouble()).toMatchObject({
        problem: 'refuses',
        detail: `the broker refuses an event of payment.updated: ${words}`,
      });
      await expect(deliver(destination, owed())).resolves.toEqual(DELIVERED);

      await broker.control('eval', 'application:unset_env(rabbit, max_message_size).');
      await refusedUntilTaken(destination, large);
      expect(destination.trouble()).toBeNull();
    },
    TEST_MS,
  );

  it(
    'publishes to an exchange that is there where the user may not declare, nor consume the track queue',
    async () => {
      const track = bench.queueName('track');
      const eventQueue = bench.queueName('events');
      const messages = await bench.consume(await bench.queue(['payment.completed']));
      await permit(NOTHING, EVERYTHING, NOTHING);
      const destination = bench.destination(url, {}, { eventQueue });
      destination.start();
      const consumer = bench.consumer(new Scripted(), { queue: track, urls: [url] });
      await isReady(destination);
      await waitFor(() => consumer.health().detail?.includes('ACCESS_REFUSED'));

      await expect(deliver(destination, owed())).resolves.toEqual(DELIVERED);
      await waitFor(() => messages.length === 1);
      // Only the queue for all events would take this event.
      const created = owed({ type: 'payment.created' });
      const why = `the queue "${eventQueue}" cannot be declared and bound (closed by the broker: ACCESS_REFUSED`;
      expect(wordsOf(await deliver(destination, created))).toContain(why);
      expect(destination.trouble()).toMatchObject({
        problem: 'refuses',
        detail: expect.stringContaining(why),
      });

      await permit(EVERYTHING, EVERYTHING, EVERYTHING);
      await refusedUntilTaken(destination, created);
      await expect(bench.channel.checkQueue(eventQueue)).resolves.toMatchObject({ messageCount: 1 });
      expect(destination.health()).toEqual({ status: 'ok' });
    },
    TEST_MS,
  );

  it(
    'is there, and refuses, where the user may open too few channels',
    async () => {
      await broker.control('set_user_limits', USER, '{"max-channels":1}');
      const holder = await connect(url);
      await holder.createChannel();
      const destination = bench.destination(url);
      destination.start();
      const trouble = await waitFor(() => destination.trouble());
      expect(trouble).toMatchObject({
        problem: 'refuses',
        detail: expect.stringMatching(/^closed by the broker: NOT_ALLOWED - number of channels .*limit/),
      });
      await holder.close();
      await broker.control('clear_user_limits', USER, 'max-channels');
      await isReady(destination);
      expect(destination.trouble()).toBeNull();
    },
    TEST_MS,
  );

  it.each([
    ['a virtual host that does not exist', () => Promise.resolve(''), '/nowhere'],
    ['the limit of the user', () => broker.control('set_user_limits', USER, '{"max-connections":0}'), '/'],
  ])(
    'says what the cause may be where the connection is refused by %s',
    async (_, limit, vhost) => {
      await limit();
      const destination = bench.destination(`${url}${vhost === '/' ? '' : vhost}`);
      destination.start();
      const trouble = await waitFor(() => destination.trouble());
      expect(trouble).toMatchObject({
        problem: 'refuses',
        detail: expect.stringMatching(
          /^the virtual host does not exist, .* a limit of connections .* is reached$/,
        ),
      });
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(destination.trouble()).toEqual(trouble);
    },
    TEST_MS,
  );
});
