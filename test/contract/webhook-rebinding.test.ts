import { afterEach, describe, expect, it } from '@jest/globals';

import type { Outcome } from '../../src/ports/deliveries.ts';
import { HttpReceiver } from '../../tools/testkit/http-receiver.ts';
import { DnsServer, NXDOMAIN, SERVFAIL, type DnsRecord } from '../support/dns-server.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { WebhookBench } from '../support/webhook-bench.ts';

const TIMEOUT_MS = 10_000;
const GOOD = '127.0.0.1';
/** Where the receiver listens too, so that a connection to it would be seen. */
const BAD = '127.0.0.2';
const ONLY_GOOD = `${GOOD}/32`;
const DELIVERED = { kind: 'delivered', httpStatus: 200 };
const failed = (failure: string): object => expect.objectContaining({ kind: 'failed', failure });
const cleanup: (() => Promise<void>)[] = [];
const { signal } = new AbortController();

afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});

const a = (value: string): DnsRecord => ({ type: 'A', value });
const aaaa = (value: string): DnsRecord => ({ type: 'AAAA', value });
const cname = (name: string, value: string): DnsRecord => ({ name, type: 'CNAME', value });

type Zone = Parameters<typeof DnsServer.start>[0];

interface Scene {
  readonly dns: DnsServer;
  readonly shop: HttpReceiver;
  readonly localAddresses: Set<string>;
  readonly attempt: (name?: string) => Promise<Outcome>;
}

/** A shop that closes each connection, on all of loopback, and a name server that knows its address. */
async function scene(zone: Zone, { cidrs = ONLY_GOOD, timeoutMs = TIMEOUT_MS } = {}): Promise<Scene> {
  const localAddresses = new Set<string>();
  const shop = await HttpReceiver.start(
    ({ localAddress }) => {
      localAddresses.add(localAddress);
      return { headers: { connection: 'close' } };
    },
    { host: '0.0.0.0' },
  );
  const dns = await DnsServer.start(zone);
  const bench = new WebhookBench({ cidrs, timeoutMs, resolve: dns.resolve });
  cleanup.push(
    () => shop.close(),
    () => dns.close(),
    () => bench.close(),
  );
  const attempt = async (name = 'shop.test'): Promise<Outcome> =>
    bench.destination.deliver(await bench.owe(`http://${name}:${shop.port}/`), signal);
  return { dns, shop, localAddresses, attempt };
}

describe('a name that is asked of a real name server', () => {
  it('is connected to at the address that was judged, and never at the next answer', async () => {
    const zone: Zone = (_, type, nth) => ({ records: type === 'A' ? [a(nth === 1 ? GOOD : BAD)] : [] });
    const { dns, shop, localAddresses, attempt } = await scene(zone);
    expect(await attempt()).toMatchObject(DELIVERED);
    // One question for one connection: there is no second look-up between judging and connecting.
    expect(dns.asked.filter((asked) => asked === 'A shop.test')).toHaveLength(1);
    await waitFor(async () => (await attempt()).kind === 'failed', { what: 'the new address to be refused' });
    expect(await attempt()).toEqual(failed('blocked_address'));
    expect([...localAddresses]).toEqual([GOOD]);
    expect(shop.requests.length).toBe(shop.connections);
  });

  it('is judged anew at each attempt when its TTL is 0 and its answers alternate', async () => {
    const zone: Zone = (_, type, nth) => ({ records: type === 'A' ? [a(nth % 2 === 1 ? BAD : GOOD)] : [] });
    const { localAddresses, attempt } = await scene(zone);
    const outcomes: Outcome[] = [];
    for (let nth = 1; nth <= 10; nth += 1) outcomes.push(await attempt());
    expect(outcomes[0]).toEqual(failed('blocked_address'));
    for (const outcome of outcomes)
      expect(outcome).toMatchObject(outcome.kind === 'delivered' ? DELIVERED : failed('blocked_address'));
    expect([...localAddresses].filter((address) => address !== GOOD)).toEqual([]);
  });

  it.each([
    ['the bad one first', [a(BAD), a(GOOD)], []],
    ['the bad one last', [a(GOOD), a(BAD)], []],
    ['bad ones of the other family', [a(GOOD)], [aaaa('::1'), aaaa('fd00::1'), aaaa('::ffff:127.0.0.2')]],
    ['metadata beside it', [a('169.254.169.254'), a(GOOD), a('10.0.0.1')], []],
  ] as const)('is reached at its good address only, with %s', async (_, v4, v6) => {
    const { localAddresses, attempt } = await scene((__, type) => ({ records: type === 'A' ? v4 : v6 }));
    expect(await attempt()).toMatchObject(DELIVERED);
    expect([...localAddresses]).toEqual([GOOD]);
  });

  it('is refused when none of its addresses is good', async () => {
    const records = { A: [a(BAD), a('10.0.0.1')], AAAA: [aaaa('::1'), aaaa('64:ff9b::7f00:2')] };
    const { shop, attempt } = await scene((_, type) => ({ records: records[type] }));
    expect(await attempt()).toEqual(failed('blocked_address'));
    expect(shop.connections).toBe(0);
  });

  it.each([
    [GOOD, DELIVERED],
    [BAD, failed('blocked_address')],
  ])('is judged by the end of its CNAME chain, %s', async (end, expected) => {
    const chain = [
      cname('shop.test', 'cdn.test'),
      cname('cdn.test', 'edge.test'),
      cname('edge.test', 'end.test'),
    ];
    const { attempt } = await scene((_, type) => ({
      records: type === 'A' ? [...chain, { ...a(end), name: 'end.test' }] : chain,
    }));
    expect(await attempt()).toMatchObject(expected);
  });

  it('goes to a blocked metadata address by no innocent name', async () => {
    const { attempt } = await scene((_, type) => ({ records: type === 'A' ? [a('169.254.169.254')] : [] }), {
      cidrs: '127.0.0.0/8',
    });
    expect(await attempt('metadata.shop.test')).toEqual(failed('blocked_address'));
  });
});

describe('a name server', () => {
  it('that is slow, but within the time-out, is waited for', async () => {
    const { attempt } = await scene((_, type) => ({ records: type === 'A' ? [a(GOOD)] : [], afterMs: 700 }));
    expect(await attempt()).toMatchObject(DELIVERED);
  });

  it('that never answers is a timeout', async () => {
    const { attempt } = await scene(() => null, { timeoutMs: 400 });
    expect(await attempt()).toEqual(failed('timeout'));
  });

  it('that loses its first answers is asked again', async () => {
    const { dns, attempt } = await scene((_, type, nth) =>
      nth === 1 ? null : { records: type === 'A' ? [a(GOOD)] : [] },
    );
    expect(await attempt()).toMatchObject(DELIVERED);
    expect(dns.asked.filter((asked) => asked === 'A shop.test')).toHaveLength(2);
  });

  it.each([
    ['does not know the name', { code: NXDOMAIN }],
    ['fails', { code: SERVFAIL }],
    ['knows no address of it', { records: [] }],
    ['names a CNAME that leads nowhere', { records: [cname('shop.test', 'gone.test')] }],
  ])('that %s: dns', async (_, answer) => {
    const { attempt } = await scene(() => answer);
    expect(await attempt()).toEqual(failed('dns'));
  });
});
