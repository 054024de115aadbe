import type { Provider, Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';

import type { Role } from '../../src/domain/access/role.ts';
import { Adoption } from '../../src/features/adoption/adoption.ts';
import { hashOf } from '../../src/features/api-keys/env-keys.ts';
import { configureHttp } from '../../src/platform/http/configure-http.ts';
import type { KeyedRequest } from '../../src/platform/http/keyed-request.ts';
import { ChainWitness } from '../../src/ports/chain-witness.ts';
import { Clock } from '../../src/ports/clock.ts';
import { EventLog } from '../../src/ports/event-log.ts';
import { Idempotency } from '../../src/ports/idempotency.ts';
import { Meter } from '../../src/ports/meter.ts';
import { DeliverySignals } from '../../src/platform/scheduling/delivery-signals.ts';
import { Payments } from '../../src/ports/payments.ts';
import { DatabaseHealth } from '../../src/ports/readiness.ts';
import { ProviderCells } from '../../src/ports/provider-cell.ts';
import { Timers } from '../../src/ports/timers.ts';
import { Tracer, UNTRACED } from '../../src/ports/tracer.ts';
import { UnansweredQuotes } from '../../src/ports/unanswered-quotes.ts';
import { Proofs } from '../../src/ports/proofs.ts';
import { NotWithheld, WithheldPayments } from '../../src/ports/withheld-payments.ts';
import { WatchedDeposits } from '../../src/ports/watched-deposits.ts';
import { FakeClock } from './fakes/clock.fake.ts';
import { FakeDatabaseHealth } from './fakes/database-health.fake.ts';
import { FakeEventLog } from './fakes/event-log.fake.ts';
import { FakeIdempotency } from './fakes/idempotency.fake.ts';
import { FakeMeter } from './fakes/meter.fake.ts';
import { FakePayments } from './fakes/payments.fake.ts';
import { FakeProvider } from './fakes/provider.fake.ts';
import { FakeProviderRateLimit } from './fakes/provider-rate-limit.fake.ts';
import { FakeQuoteBudget } from './fakes/quote-budget.fake.ts';
import { FakeUnansweredQuotes } from './fakes/unanswered-quotes.fake.ts';
import { FakeSchedule } from './fakes/schedule.fake.ts';
import { cellsOf } from './cells.ts';
import { circuitOn, pollRequestsOn } from './poll-requests.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: any; // eslint-disable-line typescript/no-explicit-any -- tests read it freely
}

/**
 * One feature on fakes behind the real HTTP pipeline. The headers `x-test-key` and `x-test-role` stand for an accepted key.
 */
export class FeatureApp {
  readonly clock = new FakeClock();
  readonly eventLog = new FakeEventLog();
  readonly provider = new FakeProvider();
  readonly idempotency = new FakeIdempotency(this.clock);
  readonly payments = new FakePayments(this.clock, this.idempotency);
  readonly signals = new DeliverySignals(this.clock.timers);
  readonly quoteBudget = new FakeQuoteBudget(this.clock, 50);
  readonly meter = new FakeMeter();
  readonly schedule = new FakeSchedule(this.payments, this.clock);
  readonly rateLimit = new FakeProviderRateLimit(this.schedule, this.provider, this.clock);
  readonly circuit = circuitOn(this.rateLimit, this.provider);
  readonly pollRequests = pollRequestsOn(this);
  readonly cells: ProviderCells;
  readonly database = new FakeDatabaseHealth();
  readonly unanswered = new FakeUnansweredQuotes();
  /** The chains that the witness sees. */
  readonly seenChains = new Set<number>();
  /** An error: no RPC answers. */
  readonly contractDecimals = new Map<string, number | Error>();
  readonly witness = {
    sees: (chainId: number) => Promise.resolve(this.seenChains.has(chainId)),
    readDecimals: async (_chainId: number, token: string) => {
      const answer = this.contractDecimals.get(token) ?? null;
      if (answer instanceof Error) throw answer;
      return answer;
    },
  } as unknown as ChainWitness;
  readonly inspectedNow: string[] = [];
  readonly proofs = {
    inspectNow: (quoteId: string) => Promise.resolve(void this.inspectedNow.push(quoteId)),
  } as Proofs;
  /** A person's statements about withheld payments. */
  readonly released: object[] = [];
  readonly withheld = {
    release: (quoteId: string, released: object) => {
      const { payment } = this.payments.rows.get(quoteId) ?? {};
      if (payment?.status !== 'EXECUTING') throw new NotWithheld(payment?.status ?? '');
      this.released.push(released);
      return Promise.resolve({ deliveries: null });
    },
  } as unknown as WithheldPayments;
  readonly watchedDeposits = { watch: () => Promise.resolve(true) } as unknown as WatchedDeposits;
  private app!: NestExpressApplication;
  url = '';

  /** `others` are providers beside the preferred one. */
  constructor(readonly others: readonly FakeProvider[] = []) {
    const { provider, schedule, rateLimit, quoteBudget, circuit: health, pollRequests } = this;
    this.payments.unanswered = this.unanswered;
    this.cells = cellsOf(
      { provider, schedule, rateLimit, quoteBudget, health, pollRequests },
      ...others.map((other) => ({
        provider: other,
        schedule,
        rateLimit,
        quoteBudget: new FakeQuoteBudget(this.clock, 50),
        health: circuitOn(rateLimit, other),
      })),
    );
  }

  /** `providers` are classes, their instances, or definitions for Nest. */
  async start(controllers: Type | Type[], providers: readonly (Type | object)[]): Promise<this> {
    const module = await Test.createTestingModule({
      controllers: [controllers].flat(),
      providers: [...this.ports(), Adoption, ...providers.map(providerOf)],
    }).compile();
    this.app = module.createNestApplication<NestExpressApplication>({ bodyParser: false, logger: false });
    const check = async (request: KeyedRequest): Promise<void> => {
      request.apiKeyName = request.get('x-test-key') ?? 'shop';
      request.keyHash = hashOf(request.apiKeyName).toString('hex');
      request.role = (request.get('x-test-role') ?? 'shop') as Role;
    };
    configureHttp(this.app, { check });
    await this.app.listen(0, '127.0.0.1');
    this.url = await this.app.getUrl();
    return this;
  }

  async stop(): Promise<void> {
    await this.app.close();
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.fetch(path, { headers });
  }

  /** Posts a string as it is, and anything else as JSON. */
  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const sent = { 'content-type': 'application/json', ...headers };
    return this.fetch(path, { method: 'POST', body: text, headers: sent });
  }

  private async fetch(path: string, init: RequestInit): Promise<Answer> {
    const response = await fetch(`${this.url}${path}`, init);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const json: unknown = isJson && text !== '' ? JSON.parse(text) : null;
    return { status: response.status, headers: response.headers, text, json };
  }

  private ports(): Provider[] {
    return [
      { provide: Clock, useValue: this.clock },
      { provide: Timers, useValue: this.clock.timers },
      { provide: EventLog, useValue: this.eventLog },
      { provide: Idempotency, useValue: this.idempotency },
      { provide: ProviderCells, useValue: this.cells },
      { provide: Payments, useValue: this.payments },
      { provide: DeliverySignals, useValue: this.signals },
      { provide: Meter, useValue: this.meter },
      { provide: DatabaseHealth, useValue: this.database },
      { provide: Tracer, useValue: UNTRACED },
      { provide: UnansweredQuotes, useValue: this.unanswered },
      { provide: ChainWitness, useValue: this.witness },
      { provide: WatchedDeposits, useValue: this.watchedDeposits },
      { provide: Proofs, useValue: this.proofs },
      { provide: WithheldPayments, useValue: this.withheld },
    ];
  }
}

function providerOf(provider: Type | object): Provider {
  if (typeof provider === 'function') return provider as Type;
  if ('provide' in provider) return provider as Provider;
  return { provide: provider.constructor as Type, useValue: provider };
}
