import { describe, expect, it } from '@jest/globals';

import type { RateLimit } from '../../src/domain/rate-limit/rate-limit.ts';
import { NO_SCALE, type IntervalScale } from '../../src/domain/polling/interval-scale.ts';
import { byOrder, CODES, itemOf } from '../../src/features/attention/attention-item.ts';
import { logItems, replicaItems, secretItems } from '../../src/features/attention/operating-items.ts';
import { rpcItems } from '../../src/features/attention/proof-items.ts';
import { providerItems, quoteItems, type SeenProvider } from '../../src/features/attention/provider-items.ts';
import {
  endpointItems,
  failedItems,
  paymentItems,
  refusingItems,
  unroutableItems,
} from '../../src/features/attention/payment-items.ts';
import { untoldItems } from '../../src/features/attention/untold-items.ts';
import { ProviderRefusals } from '../../src/features/polling/provider-troubles.ts';
import {
  budgetOf,
  circuitOf,
  classesOf,
  lagOf,
  refusalsOf,
} from '../../src/features/provider-view/provider-report.ts';
import { publicHostOf } from '../../src/features/provider-view/provider.controller.ts';
import { type PaymentTrouble, PAYMENT_TROUBLES } from '../../src/domain/attention/payment-troubles.ts';
import type {
  NeedyPayments,
  PaymentNeeds,
  TroubledEndpoint,
  TroubledEndpoints,
  UpTo,
} from '../../src/ports/attention.ts';
import {
  ProviderCredentials,
  ProviderMisconfigured,
  ProviderNotAsked,
  ProviderRefused,
  ProviderUnavailable,
} from '../../src/ports/payment-provider.ts';
import type { Refusal } from '../../src/ports/provider-view.ts';
import type { SeenReplica } from '../../src/ports/replicas.ts';
import { destinationFacts } from '../support/destination-facts.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import { INITIAL_RATE_LIMIT } from '../support/initial-rate-limit.ts';

const NOON = new Date('2026-11-20T12:00:00.000Z');
const LIMITS = { maxConcurrency: 64, batchSize: 1, timeoutMs: 5_000, maxRpm: 600 };
const NONE: UpTo = { count: 0, isMore: false, since: null };
const NOBODY: NeedyPayments = { ...NONE, examples: [] };
const ALL = ['api', 'tracker', 'dispatcher'];

const ago = (ms: number): Date => new Date(NOON.getTime() - ms);
const state = (rateLimit: Partial<RateLimit> = {}, scale: IntervalScale = NO_SCALE) => ({
  rateLimit: { ...INITIAL_RATE_LIMIT, refilledAt: NOON.getTime(), ...rateLimit },
  nowMs: NOON.getTime(),
  scale,
});

const seen = (
  provider: ReturnType<typeof state>,
  name = 'http',
  since: Date | null = NOON,
): SeenProvider => ({
  name,
  limits: LIMITS,
  state: provider,
  waiting: null,
  since,
  capacity: null,
  short: null,
});

function replica(more: Partial<SeenReplica> = {}): SeenReplica {
  return {
    id: 'one',
    roles: ALL,
    release: '1.0.0',
    startedAt: ago(3_600_000),
    settings: { RABBITMQ_URL: 'one' },
    seenAt: ago(1_000),
    isAlive: true,
    providers: {},
    troubles: {},
    rpcs: [],
    ...more,
  };
}

function needs(some: Partial<Record<PaymentTrouble, UpTo>> = {}): PaymentNeeds {
  const troubles = PAYMENT_TROUBLES.map((trouble) => [trouble, { ...NOBODY, ...some[trouble] }] as const);
  return {
    troubles: Object.fromEntries(troubles) as PaymentNeeds['troubles'],
    untold: NOBODY,
    untoldInTrouble: 0,
    all: NONE,
  };
}

const codes = (items: readonly { code: string }[]): string[] => items.map(({ code }) => code);

describe('what needs a person', () => {
  it('is nothing while nothing is wrong', () => {
    const quiet: TroubledEndpoints = {
      count: 0,
      since: null,
      endpoints: [],
      unacknowledged: { count: 0, isMore: false, sums: [], otherTokens: 0 },
    };
    const items = [
      ...paymentItems(needs()),
      ...failedItems(NONE),
      ...unroutableItems(NONE),
      ...endpointItems('disabled', quiet),
      ...endpointItems('failing', quiet),
      ...refusingItems([destinationFacts()], NOON),
      ...providerItems([seen(state())], [replica()]),
      ...logItems(null, NOON),
      ...secretItems([]),
      ...replicaItems([replica()]),
      ...rpcItems([], new Map()),
      ...quoteItems({ ...NONE, unfit: 0, providers: [] }),
    ];
    expect(items).toEqual([]);
  });

  it('are RPCs that are stuck or disagree, each once, with the payments that wait on their chains', () => {
    const seenRpc = (problem: 'stuck' | 'disagrees', rpc: string, since: Date) =>
      ({ chainId: 8453, problem, rpcs: [rpc], detail: `${rpc} errs.`, since }) as const;
    const two = [seenRpc('stuck', 'a.example', ago(60_000)), seenRpc('stuck', 'a.example', ago(90_000))];
    const items = rpcItems(
      [
        ...two,
        seenRpc('disagrees', 'b.example', NOON),
        { ...seenRpc('stuck', 'c.example', NOON), chainId: 1 },
      ],
      new Map([
        [8453, { count: 3, isMore: false }],
        [1, { count: 0, isMore: false }],
      ]),
    );
    expect(items.map(({ code, count, since, detail }) => [code, count, since, detail])).toEqual([
      ['rpc_disagrees', 3, NOON, 'b.example errs. 3 payments wait for a proof there.'],
      ['rpc_stuck', 3, ago(90_000), 'a.example errs. c.example errs. 3 payments wait for a proof there.'],
    ]);
  });

  it('is a destination that takes some payments and refuses others, with these', () => {
    const examples = [
      { quoteId: 'q-17', orderId: 'A-17' },
      { quoteId: 'q-18', orderId: null },
    ];
    const refusing = destinationFacts({
      refused: { payments: 3, since: ago(60_000), examples },
      lastDeliveredAt: ago(1_000),
    });
    expect(refusingItems([refusing, refusing], NOON)).toMatchObject([
      { count: 2, href: '/api/destinations' },
    ]);
    const exchange = { ...refusing, id: 'rabbitmq', kind: 'rabbitmq', url: null };
    expect(refusingItems([exchange], NOON)).toMatchObject([{ href: '/api/destinations/rabbitmq' }]);
    expect(refusingItems([refusing, destinationFacts()], NOON)).toEqual([
      expect.objectContaining({
        code: 'endpoints_refusing',
        count: 1,
        since: ago(60_000),
        href: `/api/destinations/${refusing.rowId}`,
        detail: 'shop EU refuses 3 payments and takes others: A-17, q-18 and 1 more.',
        endpoints: [expect.objectContaining({ url: 'https://shop.example/hook', description: 'shop EU' })],
      }),
    ]);
  });

  it('is a request for a quote that got no answer, with its provider', () => {
    const [one] = quoteItems({
      count: 1,
      isMore: false,
      unfit: 0,
      since: NOON,
      providers: [{ provider: 'http', count: 1 }],
    });
    expect(one).toMatchObject({
      code: 'quotes_unanswered',
      severity: 'warn',
      count: 1,
      since: NOON,
      href: '/api/unanswered-quotes?tracked=false&requestedAfter=2026-11-20T12:00:00.000Z',
      detail:
        '1 request for a quote of the last day got no answer from http: each may have opened a deposit address that no payer was shown.',
    });
    const providers = [
      { provider: 'http', count: 200 },
      { provider: 'relay', count: 50 },
    ];
    const said = [0, 3, 250].map((unfit) => {
      const [several] = quoteItems({ count: 250, isMore: false, unfit, since: NOON, providers });
      return /day got (.*) from http 200, Relay 50:/.exec(several?.detail ?? '')?.[1];
    });
    expect(said).toEqual([
      'no answer',
      'no answer, or a quote that does not fit (3),',
      'a quote that does not fit',
    ]);
  });

  it('is listed worst first, in plain sentences with a link to the list', () => {
    const [several, one] = [
      { count: 10_000, isMore: true, since: NOON },
      { count: 1, isMore: false, since: NOON },
    ];
    const items = paymentItems(
      needs({ stalled: several, anomaly: one, short: one, late: one, paidTwice: several }),
    );
    const sorted = [...items, ...failedItems(one), ...unroutableItems(several)].toSorted(byOrder);
    expect(sorted.map(({ severity, href, detail }) => [severity, href, detail])).toEqual([
      [
        'bad',
        '/api/webhook-deliveries?state=failed&resolved=false&destinations=existing',
        '1 delivery was given up: no attempt follows.',
      ],
      [
        'bad',
        '/api/payments?attention=order_paid_twice',
        'At least 10000 orders have more than one completed payment: give back what is too much, and resolve it as a duplicate.',
      ],
      ['bad', '/api/payments?attention=payments_stalled', 'At least 10000 payments make no progress.'],
      [
        'bad',
        '/api/payments?attention=payments_anomaly',
        '1 payment has reports that contradict each other.',
      ],
      [
        'bad',
        '/api/payments?attention=payments_short',
        '1 payment came in part, and the rest went back or is missing: settle the difference.',
      ],
      [
        'bad',
        '/api/destinations/rabbitmq',
        'At least 10000 events of the last day were not published: no queue is bound for the type.',
      ],
      ['warn', '/api/payments?attention=payments_late', '1 payment went on after it had expired or failed.'],
    ]);
  });

  it('has every severity in one block, bad before warn', () => {
    const severities = CODES.map((code) => itemOf(code, { detail: '' }).severity);
    expect(severities).toEqual(severities.toSorted());
  });

  it('names the endpoints and the payments whose newest event no destination has acknowledged', () => {
    const unacknowledged = { count: 2, isMore: true, sums: [], otherTokens: 0 };
    const shop = (id: string, description: string | null): TroubledEndpoint => ({
      id,
      url: `https://${id}.example`,
      description,
      circuit: 'open',
      failingSince: NOON,
      disabledReason: null,
    });
    const endpoints = [shop('a', 'shop EU'), shop('b', null)];
    const troubled = { count: 2, since: NOON, endpoints, unacknowledged };
    const [failing] = endpointItems('failing', troubled);
    expect(failing).toMatchObject({
      code: 'endpoints_failing',
      count: 2,
      since: NOON,
      href: '/api/webhook-endpoints',
      payments: unacknowledged,
    });
    expect(failing?.detail).toBe(
      'The webhook endpoints shop EU, https://b.example fail and get only retries or probes. No destination has acknowledged the newest event of at least 2 paid payments.',
    );
    const [disabled] = endpointItems('disabled', {
      ...troubled,
      count: 1,
      endpoints: endpoints.slice(0, 1),
      unacknowledged: { ...unacknowledged, count: 0 },
    });
    expect(disabled).toMatchObject({
      href: '/api/destinations/a',
      detail: 'The webhook endpoint shop EU is disabled and gets no events.',
    });
  });

  it('has the command that sends events without a receiver to the endpoint that has come since', () => {
    const shop = destinationFacts({});
    const destination = { id: null, kind: 'nobody', name: 'no receiver' };
    const upTo = { count: 2, isMore: false, since: NOON };
    const said = (known: (typeof shop)[]): string | undefined =>
      untoldItems({ ...upTo, destinations: [{ ...upTo, destination }] }, { needs: null, known })[1]?.detail;
    const command = (id: string): string =>
      `\`paybell endpoints recover ${id} --since 2026-11-20T11:59:00.000Z\` sends these events to`;
    const start = 'Nobody was told the news of 2 payments. They had no receiver';
    const disabled = { ...shop, enabled: false };
    for (const none of [[], [disabled]])
      expect(said(none)).toBe(
        `${start}: add an endpoint, or set RABBITMQ_URL. Then ${command('ID')} an endpoint.`,
      );
    expect(said([shop, disabled])).toBe(`${start} then: ${command(shop.rowId)} shop EU.`);
    expect(said([shop, shop])).toBe(`${start} then: ${command('ID')} an endpoint.`);
  });

  it('has the command that sends what an endpoint was not sent while it was disabled', () => {
    const unsent = { count: 5, isMore: false, since: new Date('2026-11-20T11:20:30.500Z') };
    const enabled = destinationFacts({ unsent });
    const { rowId: id, name } = enabled;
    const destinations = [
      { destination: { id, kind: 'webhook', name }, count: 2, isMore: false, since: NOON },
    ];
    const untold = { count: 2, isMore: false, since: NOON, destinations };
    const examples = [{ quoteId: 'q-1', orderId: 'A-1' }];
    const [item] = untoldItems(untold, {
      needs: { untold: { ...NOBODY, examples }, untoldInTrouble: 1 },
      known: [enabled],
    });
    expect(item).toMatchObject({ code: 'undelivered', count: 2, examples });
    expect(item?.detail).toBe(
      `2 payments have news that a destination was not told: 2 at shop EU. 5 events were not sent to shop EU while it was disabled: \`paybell endpoints recover ${id} --since 2026-11-20T11:19:00.000Z\` sends them. 1 of them needs a person for another reason, and is named there.`,
    );
    const [disabled] = endpointItems(
      'disabled',
      {
        count: 1,
        since: null,
        endpoints: [
          {
            id,
            url: 'https://a',
            description: name,
            circuit: 'closed',
            failingSince: null,
            disabledReason: 'x',
          },
        ],
        unacknowledged: { count: 0, isMore: false, sums: [], otherTokens: 0 },
      },
      [destinationFacts({ unsent, enabled: false })],
    );
    expect(disabled?.detail).toBe(
      `The webhook endpoint shop EU is disabled and gets no events. 5 events were not sent to shop EU while it was disabled: \`paybell endpoints enable ${id} --recover\` (needs an admin key) enables it and sends them.`,
    );
  });

  it('is a provider that fails, refuses the key or asked for fewer requests, and a budget that is short', () => {
    const slowed = { to: 1, from: 9, at: NOON.getTime() - 2_000 };
    expect(codes(providerItems([seen(state({ circuit: 'open' }))], []))).toEqual(['provider_circuit_open']);
    expect(providerItems([{ ...seen(state({ circuit: 'open' })), waiting: 7 }], [])).toMatchObject([
      { detail: 'The provider fails: until it answers, only probes are sent, and 7 open payments wait.' },
    ]);
    expect(providerItems([seen(state({ circuit: 'credentials' }))], [])).toMatchObject([
      { code: 'provider_key_refused', since: NOON },
    ]);
    const refused = { detail: null, isKeyRefused: true, slowMs: null, refusals: [] };
    expect(codes(providerItems([seen(state())], [replica({ providers: { http: refused } })]))).toEqual([
      'provider_key_refused',
    ]);
    expect(
      codes(providerItems([seen(state())], [replica({ providers: { http: refused }, isAlive: false })])),
    ).toEqual([]);
    expect(providerItems([seen(state({ slowed }))], [])).toMatchObject([
      { code: 'provider_slowed', since: ago(2_000) },
    ]);
    const paused = state({ pausedUntil: NOON.getTime() + 600_000 });
    const [pause] = providerItems([{ ...seen(paused), waiting: 7 }], []);
    expect(pause).toMatchObject({
      code: 'provider_paused',
      detail: `The provider has asked for no requests until ${ago(-600_000).toISOString()}: 7 open payments wait.`,
    });
    expect(providerItems([{ ...seen(paused), waiting: 0 }], [])).toEqual([]);
    const short = {
      change: 'deposit',
      noticedAfterMs: 430_000,
      neededPerMinute: 900,
      hasPerMinute: 5.8,
    } as const;
    expect(providerItems([{ ...seen(state()), short }], [])).toMatchObject([
      {
        code: 'budget_short',
        detail:
          'The provider: a deposit is noticed after about 7 min; it needs 900 requests a minute and has 6.',
      },
    ]);
  });

  it('is each provider that fails, once, whether or not a payment of it is open', () => {
    const view = (detail: string | null, isKeyRefused = false) => ({
      detail,
      isKeyRefused,
      slowMs: null,
      refusals: [],
    });
    const NO_LIST = 'its list of chains cannot be read: connection refused';
    const providers = [
      seen(state({ circuit: 'open' }), 'http'),
      seen(state(), 'relay'),
      seen(state(), 'oneclick'),
      seen(state(), 'chainflip'),
    ];
    const knows = replica({
      providers: {
        http: view(NO_LIST),
        relay: view(NO_LIST),
        oneclick: view('it does not accept our key', true),
      },
    });
    expect(
      providerItems(providers, [knows]).map(({ code, severity, count, href, detail }) => [
        code,
        severity,
        count,
        href,
        detail,
      ]),
    ).toEqual([
      ['provider_circuit_open', 'bad', 1, '/api/provider?name=http', expect.any(String)],
      ['provider_lists_unread', 'bad', 1, '/api/provider?name=relay', `The provider Relay: ${NO_LIST}.`],
      ['provider_key_refused', 'bad', 1, '/api/provider?name=oneclick', expect.any(String)],
    ]);
    expect(providerItems(providers.slice(1), [{ ...knows, isAlive: false }])).toEqual([]);
  });

  it('is one item for a trouble that several providers have, which names them', () => {
    const http = seen(state({ circuit: 'open' }), 'http', ago(9_000));
    const relay = seen(state({ circuit: 'open' }), 'relay', ago(20_000));
    const oneclick = seen(state({ circuit: 'credentials' }), 'oneclick', null);
    expect(providerItems([http, seen(state(), 'relay')], [])).toMatchObject([
      {
        code: 'provider_circuit_open',
        count: 1,
        href: '/api/provider?name=http',
        detail: 'The provider http fails: until it answers, only probes are sent.',
      },
    ]);
    expect(providerItems([http, relay, oneclick], [])).toMatchObject([
      {
        code: 'provider_circuit_open',
        count: 2,
        href: '/api/providers',
        since: ago(20_000),
        detail:
          'The provider http fails: until it answers, only probes are sent. The provider Relay fails: until it answers, only probes are sent.',
      },
      { code: 'provider_key_refused', count: 1, detail: expect.stringContaining('The provider 1Click') },
    ]);
    const refused = { detail: null, isKeyRefused: true, slowMs: null, refusals: [] };
    const knows = replica({ providers: { relay: refused } });
    expect(providerItems([seen(state(), 'http'), seen(state(), 'relay')], [knows])).toMatchObject([
      { code: 'provider_key_refused', detail: expect.stringContaining('The provider Relay') },
    ]);
  });

  it('is a provider of whose capacity four fifths are used, with how much of it', () => {
    const used = (count: number): SeenProvider => ({
      ...seen(state(), 'chainflip'),
      capacity: { of: 'open channels to 0x5a1c for BTC', used: count, limit: 25 },
    });
    expect(providerItems([used(19)], [])).toEqual([]);
    expect(providerItems([used(20), seen(state())], [])).toMatchObject([
      {
        code: 'provider_capacity',
        severity: 'warn',
        href: '/api/provider?name=chainflip',
        detail:
          'The provider Chainflip has 20 of 25 open channels to 0x5a1c for BTC: with 25 it makes no such quote until one is over.',
      },
    ]);
  });

  it('is a log that an open transaction holds, and secrets that cannot be decrypted', () => {
    expect(logItems({ heldMs: 31_000, holder: null }, NOON)).toMatchObject([
      {
        code: 'log_held',
        since: ago(31_000),
        detail: expect.stringMatching(/^A transaction of the PostgreSQL server is/),
      },
    ]);
    const holder = { name: 'process 7 (psql)', since: ago(40_000) };
    expect(logItems({ heldMs: 31_000, holder }, NOON)).toMatchObject([
      {
        since: ago(40_000),
        detail: `Process 7 (psql) has a transaction open since ${ago(40_000).toISOString()}, which keeps events of the last 31 s out of /api/events and the streams.`,
      },
    ]);
    const unreadable = { code: 'secrets_unreadable', href: '/api/webhook-endpoints' };
    expect(secretItems(['a', 'b'])).toMatchObject([{ ...unreadable, count: 2 }]);
    expect(secretItems(['a'])).toMatchObject([{ ...unreadable, count: 1, href: '/api/destinations/a' }]);
  });

  it('is a setting that running replicas do not agree on', () => {
    const other = replica({ id: 'two', roles: ['dispatcher'], settings: { RABBITMQ_URL: 'unset' } });
    expect(replicaItems([replica(), replica({ id: 'two' })])).toEqual([]);
    expect(replicaItems([replica(), { ...other, settings: {} }])).toEqual([]);
    expect(replicaItems([replica(), other])).toMatchObject([
      {
        code: 'settings_disagree',
        count: 1,
        detail:
          'The replicas disagree: RABBITMQ_URL is set in one (api, tracker, dispatcher), and not in two (dispatcher).',
      },
    ]);
    expect(codes(replicaItems([replica(), { ...other, isAlive: false }]))).not.toContain('settings_disagree');
  });

  it('is a role that no replica has, and a replica that stopped without saying so', () => {
    const api = replica({ id: 'api', roles: ['api'] });
    const worker = replica({ id: 'worker', roles: ['tracker', 'dispatcher'] });
    const lost = { ...worker, isAlive: false, seenAt: ago(50_000) };
    expect(replicaItems([api, worker])).toEqual([]);
    expect(replicaItems([api, lost])).toMatchObject([
      { code: 'roles_missing', count: 2 },
      { code: 'replicas_lost', count: 1, since: ago(50_000) },
    ]);
    const successor = replica({ id: 'next', startedAt: ago(30_000) });
    expect(replicaItems([api, lost, successor])).toEqual([]);
    const bystander = replica({ id: 'other' });
    expect(codes(replicaItems([api, lost, bystander]))).toEqual(['replicas_lost']);
    expect(replicaItems([{ ...api, isAlive: false, seenAt: ago(600_000) }, successor])).toEqual([]);
  });
});

describe('what is known of the provider', () => {
  it('names its circuit with the next probe, and what the budget still allows', () => {
    const open = state({ circuit: 'open', probeAt: NOON.getTime() + 4_000 });
    expect(circuitOf(open, ago(9_000))).toEqual({
      state: 'open',
      since: ago(9_000),
      nextProbeAt: new Date(NOON.getTime() + 4_000),
    });
    expect(circuitOf(state(), null).nextProbeAt).toBeNull();
    const slowed = { to: 1, from: 9, at: NOON.getTime() };
    const paused = state({ slowed, tokens: 3.5, pausedUntil: NOON.getTime() + 1_000 });
    expect(budgetOf(paused, LIMITS, { r17: 280 })).toEqual({
      requestsPerMinuteNow: 60,
      available: 0,
      usedLastMinute: 280,
      pausedUntil: new Date(NOON.getTime() + 1_000),
      slowedBy: 'asked',
    });
    expect(budgetOf(state(), { ...LIMITS, maxRpm: 0 }, {})).toEqual({
      requestsPerMinuteNow: null,
      available: null,
      usedLastMinute: 0,
      pausedUntil: null,
      slowedBy: null,
    });
  });

  it('names each class of urgency, with those that have no payments', () => {
    const demand = [{ urgency: 1, payments: 7, perSecond: 1, overdue: 2, putOff: 0 }] as const;
    const classes = classesOf(demand, [1, 1.234, 1, 1], { 'class.attended': 55 });
    expect(classes.map(({ name, payments }) => [name, payments])).toEqual([
      ['in_flight', 0],
      ['attended', 7],
      ['unattended', 0],
      ['watching', 0],
    ]);
    expect(classes[1]).toEqual({
      name: 'attended',
      payments: 7,
      overdue: 2,
      wantedPerMinute: 60,
      polledLastMinute: 55,
      scale: 1.23,
    });
  });

  it('has the last twenty refusals of all replicas, the newest first', () => {
    const refusal = (ms: number): Refusal => ({
      at: ago(ms),
      asked: 'status',
      kind: 'unavailable',
      httpStatus: 503,
      message: 'status 503',
    });
    const many = Array.from({ length: 15 }, (_, index) => refusal(30_000 - index * 2_000));
    const providers = {
      http: { detail: null, isKeyRefused: false, slowMs: null, refusals: many },
      relay: { detail: null, isKeyRefused: false, slowMs: null, refusals: [refusal(0)] },
    };
    const replicas = [replica({ providers }), replica({ id: 'two', providers }), replica({ id: 'three' })];
    const refusals = refusalsOf(replicas, 'http');
    expect(refusalsOf(replicas, 'relay')).toHaveLength(2);
    expect(refusals).toHaveLength(20);
    expect(refusals[0]).toEqual({ ...refusal(2_000), replicaId: 'one' });
    expect(refusals.at(-1)?.at).toEqual(ago(20_000));
  });

  it.each([
    ['GET https://api.provider.example/v1/api/chains', 'api.provider.example'],
    ['GET http://10.0.0.7:8080/api/chains', null],
    ['GET http://[fd00::1]/api/chains', null],
    ['GET http://localhost:4000/api/chains', null],
    ['GET http://provider/api/chains', null],
    ['GET http://provider.shop.svc.cluster.local/api/chains', null],
    ['GET http://provider.internal/api/chains', null],
    [null, null],
  ])('has the host of %s: %s', (request, host) => {
    expect(publicHostOf(request)).toBe(host);
  });
});

describe('the lag of the schedule', () => {
  it('is the whole milliseconds since the next payment was due', () => {
    expect([null, 1_500.25, -0.25, -12.75].map(lagOf)).toEqual([0, 0, 0, 13]);
  });
});

describe('the refusals that a process keeps', () => {
  it('are the last ten, each with its kind, and nothing of an internal address', () => {
    const clock = new FakeClock();
    const refusals = new ProviderRefusals(clock);
    const message = 'no route to http://10.1.2.3:80/x via 192.168.0.1:99, see docs';
    refusals.noteAnswer({ kind: 'report', report: {} as never });
    refusals.noteAnswer({ kind: 'refused', httpStatus: 404, message });
    refusals.noteAnswer({ kind: 'unavailable', httpStatus: 429, reason: 'status 429', retryAfterMs: null });
    refusals.noteAnswer({ kind: 'unavailable', httpStatus: null, reason: 'timeout', retryAfterMs: null });
    refusals.noteAnswer({ kind: 'credentials' });
    refusals.noteQuoting('quote', new ProviderRefused(422, 'x'.repeat(400)));
    refusals.noteQuoting('chains', new ProviderMisconfigured('GET http://10.0.0.1/api/chains'));
    refusals.noteQuoting('chains', new ProviderCredentials());
    refusals.noteQuoting('currencies', new ProviderUnavailable('timeout'));
    refusals.noteQuoting('currencies', new ProviderUnavailable('status 429', null, true));
    refusals.noteQuoting('currencies', new ProviderNotAsked('busy', 100));
    refusals.noteQuoting('currencies', null);
    refusals.noteQuoting('currencies', new Error('a fault of ours'));
    const { all } = refusals;
    expect(all.map(({ asked, kind, httpStatus }) => [asked, kind, httpStatus])).toEqual([
      ['status', 'refused', 404],
      ['status', 'throttled', 429],
      ['status', 'unavailable', null],
      ['status', 'credentials', null],
      ['quote', 'refused', 422],
      ['chains', 'misconfigured', 404],
      ['chains', 'credentials', null],
      ['currencies', 'unavailable', null],
      ['currencies', 'throttled', 429],
    ]);
    expect(all[0]).toMatchObject({
      at: clock.now(),
      message: 'no route to [address] via [address], see docs',
    });
    expect(all[4]?.message).toHaveLength(300);
    expect(JSON.stringify(all)).not.toMatch(/10\.\d|192\./);
    for (let index = 0; index < 20; index += 1) refusals.noteAnswer({ kind: 'credentials' });
    expect([refusals.all.length, refusals.all[0]?.kind]).toEqual([10, 'credentials']);
  });
});
