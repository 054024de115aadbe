import { isIP } from 'node:net';

import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { slidingMinute } from '../../domain/figures/counts.ts';
import { HOUR_MS, MINUTE_MS, wholeSteps } from '../../domain/figures/time-ranges.ts';
import { ACCESS, Allow } from '../../platform/http/access.ts';
import { checkProviderName } from '../../platform/http/known-provider.ts';
import { SharedWork } from '../../platform/scheduling/shared-work.ts';
import { type ProviderCell, ProviderCells } from '../../ports/provider-cell.ts';
import { Clock } from '../../ports/clock.ts';
import { MinuteFigures } from '../../ports/minute-figures.ts';
import { Replicas, troubleSeen, viewOf } from '../../ports/replicas.ts';
import { Timers } from '../../ports/timers.ts';
import { unansweredAt, UnansweredQuotes } from '../../ports/unanswered-quotes.ts';
import {
  budgetOf,
  circuitOf,
  classesOf,
  lagOf,
  lastHourOf,
  limitsOf,
  refusalsOf,
  replicaOf,
} from './provider-report.ts';
import { ProviderAnswer, ProviderQuery, ProvidersAnswer } from './provider.dto.ts';
import { ProviderSettings } from './provider.settings.ts';

/** A count of the open payments' needs reads the whole schedule: many dashboards share one. */
const FRESH_MS = 5_000;
/** After a reading, the next one waits for this many times the reading's duration. */
const TIMES_READING = 50;

type ProviderView = Awaited<ReturnType<ProviderController['readNow']>>;

/** The state of each provider, as known to all replicas together. */
@ApiTags('Operations')
@Controller('api')
export class ProviderController {
  private readonly views: SharedWork<ProviderView>;

  constructor(
    private readonly cells: ProviderCells,
    private readonly figures: MinuteFigures,
    private readonly replicas: Replicas,
    private readonly settings: ProviderSettings,
    private readonly clock: Clock,
    private readonly unanswered: UnansweredQuotes,
    timers: Timers,
  ) {
    this.views = new SharedWork({ freshMs: FRESH_MS, timesWork: TIMES_READING, timers });
  }

  @Get('provider')
  @Allow(ACCESS.inspect)
  @ApiOperation({
    operationId: 'getProvider',
    summary: 'The state of a provider: circuit, budget, outcomes and refusals',
  })
  @ApiOkResponse({ type: ProviderAnswer })
  read(@Query() { name }: ProviderQuery): Promise<ProviderView> {
    if (name) checkProviderName('name', name, this.cells.names);
    return this.viewOf(name ? this.cells.of(name) : this.cells.preferred);
  }

  @Get('providers')
  @Allow(ACCESS.inspect)
  @ApiOperation({
    operationId: 'listProviders',
    summary: 'The state of every provider, the preferred one first',
  })
  @ApiOkResponse({ type: ProvidersAnswer })
  async list(): Promise<{ data: ProviderView[] }> {
    return { data: await Promise.all(this.cells.all.map((cell) => this.viewOf(cell))) };
  }

  private viewOf(cell: ProviderCell): Promise<ProviderView> {
    return this.views.run(cell.provider.name, () => this.readNow(cell));
  }

  private async readNow({ provider, health: ownHealth, rateLimit, schedule }: ProviderCell) {
    const { settings } = this;
    const { name } = provider;
    const [state, unanswered, demand, since, reconcile, health, replicas, nextDueInMs, last] =
      await Promise.all([
        rateLimit.state(),
        this.unanswered.recent(),
        rateLimit.demand('page'),
        rateLimit.circuitSince(),
        provider.reconciledTo(),
        ownHealth.health(),
        this.replicas.recent(),
        schedule.nextDueInMs(),
        this.countsOfLast(name),
      ]);
    const alive = replicas.filter(({ isAlive }) => isAlive);
    const views = alive.map((replica) => viewOf(replica, name));
    const detail = health.detail ?? troubleSeen(alive, name) ?? undefined;
    const { pollIntervalMs, minGapMs } = settings;
    return {
      checkedAt: this.clock.now(),
      name,
      host: publicHostOf(provider.urlOf('chains')),
      status: detail === undefined ? 'ok' : 'degraded',
      detail: detail ?? null,
      keyRefused: state.rateLimit.circuit === 'credentials' || views.some((each) => each.isKeyRefused),
      circuit: circuitOf(state, since),
      limits: { ...limitsOf(provider.limits), pollIntervalMs, minGapMs },
      budget: budgetOf(state, provider.limits, last.minute),
      classes: classesOf(demand, state.scale, last.minute),
      lagMs: lagOf(nextDueInMs),
      lastHour: lastHourOf(last.hour),
      unansweredQuotes: unansweredAt(unanswered, name),
      lastRefusals: refusalsOf(replicas, name),
      ...(reconcile === null ? {} : { reconcile }),
      replicas: replicas.map((replica) => replicaOf(replica, name)),
    };
  }

  private async countsOfLast(provider: string) {
    const now = this.clock.now().getTime();
    const { to } = wholeSteps({ from: now, to: now }, MINUTE_MS);
    const begunAt = to - MINUTE_MS;
    const [hour, before, present] = await Promise.all([
      this.figures.sum({ provider }, { from: to - HOUR_MS, to }),
      this.figures.sum({ provider }, { from: begunAt - MINUTE_MS, to: begunAt }),
      this.figures.sum({ provider }, { from: begunAt, to }),
    ]);
    return { hour, minute: slidingMinute(before, present, (now - begunAt) / MINUTE_MS) };
  }
}

const INTERNAL =
  /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|corp|home|home\.arpa|svc|test)$/i;

/** The host of a request such as `GET https://api.example/api/chains`; null for an address, or a name of an internal network. */
export function publicHostOf(request: string | null): string | null {
  const url = request?.split(' ')[1];
  if (url === undefined || !URL.canParse(url)) return null;
  const { hostname } = new URL(url);
  const isAddress = hostname.startsWith('[') || isIP(hostname) !== 0;
  return isAddress || !hostname.includes('.') || INTERNAL.test(hostname) ? null : hostname;
}
