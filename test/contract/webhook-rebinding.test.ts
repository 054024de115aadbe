import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';

import { afterEach, describe, expect, it } from '@jest/globals';

import type { Outcome } from '../../src/ports/deliveries.ts';
import { HttpReceiver } from '../../tools/testkit/http-receiver.ts';
import { WebhookBench } from '../support/webhook-bench.ts';

const GOOD = '127.0.0.1';
/** A second address of the receiver, so that a connection to the wrong address would be seen. */
const BAD = '127.0.0.2';
const DELIVERED = { kind: 'delivered', httpStatus: 200 };
const failed = (failure: string): object => expect.objectContaining({ kind: 'failed', failure });
const cleanup: (() => Promise<void>)[] = [];
const { signal } = new AbortController();

afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});

interface Scene {
  readonly shop: HttpReceiver;
  readonly localAddresses: Set<string>;
  /** The number of look-ups made. */
  readonly asked: () => number;
  readonly attempt: () => Promise<Outcome>;
}

/** A shop on all of loopback that closes each connection; the nth look-up of its name, from 1, answers `addressesAt(nth)`. */
async function scene(
  addressesAt: (nth: number) => readonly string[] | Promise<readonly string[]>,
  timeoutMs = 10_000,
): Promise<Scene> {
  const localAddresses = new Set<string>();
  const shop = await HttpReceiver.start(
    ({ localAddress }) => {
      localAddresses.add(localAddress);
      return { headers: { connection: 'close' } };
    },
    { host: '0.0.0.0' },
  );
  let nth = 0;
  const resolve = async (): Promise<LookupAddress[]> => {
    nth += 1;
    return (await addressesAt(nth)).map((address) => ({ address, family: isIP(address) }));
  };
  const bench = new WebhookBench({ cidrs: `${GOOD}/32`, timeoutMs, resolve });
  cleanup.push(
    () => shop.close(),
    () => bench.close(),
  );
  const attempt = async (): Promise<Outcome> =>
    bench.destination.deliver(await bench.owe(`http://shop.test:${shop.port}/`), signal);
  return { shop, localAddresses, asked: () => nth, attempt };
}

describe('a name that is looked up', () => {
  it('is connected to at the address that was judged, and never at the next answer', async () => {
    const { shop, localAddresses, asked, attempt } = await scene((nth) => [nth === 1 ? GOOD : BAD]);
    expect(await attempt()).toMatchObject(DELIVERED);
    // One look-up for one connection: no second look-up happens between the check and the connection.
    expect(asked()).toBe(1);
    expect(await attempt()).toEqual(failed('blocked_address'));
    expect([...localAddresses]).toEqual([GOOD]);
    expect([shop.requests.length, shop.connections]).toEqual([1, 1]);
  });

  it('is judged anew at each attempt when its answers alternate', async () => {
    const { localAddresses, attempt } = await scene((nth) => [nth % 2 === 1 ? BAD : GOOD]);
    for (let round = 0; round < 3; round += 1) {
      expect(await attempt()).toEqual(failed('blocked_address'));
      expect(await attempt()).toMatchObject(DELIVERED);
    }
    expect([...localAddresses]).toEqual([GOOD]);
  });

  it.each([
    ['the bad one first', [BAD, GOOD]],
    ['the bad one last', [GOOD, BAD]],
    ['bad ones of the other family', [GOOD, '::1', 'fd00::1', '::ffff:127.0.0.2']],
    ['metadata beside it', ['169.254.169.254', GOOD, '10.0.0.1']],
  ])('is reached at its good address only, with %s', async (_, addresses) => {
    const { localAddresses, attempt } = await scene(() => addresses);
    expect(await attempt()).toMatchObject(DELIVERED);
    expect([...localAddresses]).toEqual([GOOD]);
  });

  it('is refused when none of its addresses is good', async () => {
    const { shop, attempt } = await scene(() => [
      BAD,
      '10.0.0.1',
      '169.254.169.254',
      '::1',
      '64:ff9b::7f00:2',
    ]);
    expect(await attempt()).toEqual(failed('blocked_address'));
    expect(shop.connections).toBe(0);
  });

  it('is a timeout where the look-up never ends', async () => {
    const { attempt } = await scene(() => new Promise(() => undefined), 400);
    expect(await attempt()).toEqual(failed('timeout'));
  });

  it('is dns where nobody knows an address of it', async () => {
    const { attempt } = await scene(() => []);
    expect(await attempt()).toEqual(failed('dns'));
  });
});
