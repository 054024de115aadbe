import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { ProviderController } from '../../src/features/provider-view/provider.controller.ts';
import { ProviderSettings } from '../../src/features/provider-view/provider.settings.ts';
import { MinuteFigures, type ProviderCounts } from '../../src/ports/minute-figures.ts';
import type { ProviderView } from '../../src/ports/provider-view.ts';
import { Replicas, type SeenReplica } from '../../src/ports/replicas.ts';
import { FakeProvider } from '../support/fakes/provider.fake.ts';
import { FeatureApp } from '../support/feature-app.ts';

const QUIET: ProviderView = { detail: null, isKeyRefused: false, slowMs: null, refusals: [] };

let app: FeatureApp;
/** The counts for any requested range. */
let counted: ProviderCounts[];
let replicas: SeenReplica[];

beforeEach(async () => {
  counted = [];
  const sum = async ({ provider }: { provider: string }) =>
    counted.find((each) => each.provider === provider)?.counts ?? {};
  replicas = [];
  app = new FeatureApp([new FakeProvider('relay')]);
  await app.start(
    [ProviderController],
    [
      { provide: MinuteFigures, useValue: { sum } },
      { provide: Replicas, useValue: { recent: () => Promise.resolve(replicas) } },
      new ProviderSettings(7_000, 5_000),
    ],
  );
});

afterEach(() => app.stop());

function replica(id: string, providers: Readonly<Record<string, ProviderView>>): SeenReplica {
  const now = app.clock.now();
  const seen = { seenAt: now, startedAt: now, isAlive: true };
  return {
    id,
    roles: ['tracker'],
    release: '1.0.0',
    settings: {},
    troubles: {},
    rpcs: [],
    providers,
    ...seen,
  };
}

describe('the state of several providers', () => {
  it('is a list in their order, each with what the replicas know of it alone', async () => {
    const refusal = {
      at: app.clock.now(),
      asked: 'status',
      kind: 'credentials',
      httpStatus: 401,
      message: 'status 401',
    } as const;
    const refused = { detail: 'our key is refused', isKeyRefused: true, slowMs: null, refusals: [refusal] };
    replicas = [replica('one', { http: QUIET, relay: refused }), replica('two', { http: QUIET })];
    const { status, json } = await app.get('/api/providers');
    expect(status).toBe(200);
    expect(json.data).toMatchObject([
      { name: 'http', status: 'ok', detail: null, keyRefused: false, lastRefusals: [] },
      {
        name: 'relay',
        status: 'degraded',
        detail: 'our key is refused',
        keyRefused: true,
        lastRefusals: [{ replicaId: 'one', httpStatus: 401 }],
        replicas: [
          { id: 'one', keyRefused: true },
          { id: 'two', keyRefused: false, detail: null },
        ],
      },
    ]);
  });

  it('has the polls and requests of each', async () => {
    const counts = { 'polls.changed': 2, 'class.in_flight': 2, r17: 3 };
    counted = [{ provider: 'relay', counts }];
    const { json } = await app.get('/api/providers');
    const [http, relay] = json.data;
    expect([http.lastHour.polls.changed, relay.lastHour.polls.changed]).toEqual([0, 2]);
    expect([http.lastHour.requests.count, relay.lastHour.requests.count]).toEqual([0, 3]);
  });

  it('is one by its name, and the preferred one without a name', async () => {
    expect((await app.get('/api/provider')).json.name).toBe('http');
    expect((await app.get('/api/provider?name=')).json.name).toBe('http');
    expect((await app.get('/api/provider?name=relay')).json.name).toBe('relay');
    const { status, json } = await app.get('/api/provider?name=oneclick');
    const message = 'must be one of http, relay';
    expect([status, json.errors]).toEqual([400, [{ field: 'name', message }]]);
  });
});
