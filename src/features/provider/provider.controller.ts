import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { slidingMinute } from '../../domain/figures/counts.ts';
import { HOUR_MS, MINUTE_MS, wholeSteps } from '../../domain/figures/time-ranges.ts';
import { ACCESS, Allow } from '../../platform/http/access.ts';
import { SharedWork } from '../../platform/scheduling/shared-work.ts';
import { ProviderCells } from '../../ports/provider-cell.ts';
import { Clock } from '../../ports/clock.ts';
import { MinuteFigures } from '../../ports/minute-figures.ts';
import { Replicas } from '../../ports/replicas.ts';
import { Timers } from '../../ports/timers.ts';
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
import { ProviderAnswer } from './provider.dto.ts';
import { ProviderSettings } from './provider.settings.ts';
import { publicHostOf } from './public-host.ts';

/** Counting what the open payments need reads the whole schedule: many dashboards share one count. */
const FRESH_MS = 5_000;
/** Reading the answer takes at most a fiftieth of the time. */
const TIMES_READING = 50;

type ProviderView = Awaited<ReturnType<ProviderController['readNow']>>;

/** The state of the provider, as all replicas together know it. */
@ApiTags('operations')
@Controller('api/provider')
export class ProviderController {
  private readonly views: SharedWork<ProviderView>;

  constructor(
    private readonly cells: ProviderCells,
    private readonly figures: MinuteFigures,
    private readonly replicas: Replicas,
    private readonly settings: ProviderSettings,
    private readonly clock: Clock,
    timers: Timers,
  ) {
    this.views = new SharedWork({ freshMs: FRESH_MS, timesWork: TIMES_READING, timers });
  }

  @Get()
  @Allow(ACCESS.inspect)
  @ApiOperation({ summary: 'The state of the provider: circuit, budget, outcomes and refusals' })
  @ApiOkResponse({ type: ProviderAnswer })
  read(): Promise<ProviderView> {
    return this.views.run('view', () => this.readNow());
  }

  private async readNow() {
    const { settings } = this;
    const { provider, health: ownHealth, rateLimit, schedule } = this.cells.preferred;
    const [state, demand, since, reconcile, health, replicas, nextDueInMs, last] = await Promise.all([
      rateLimit.state(),
      rateLimit.demand(),
      rateLimit.circuitSince(),
      provider.reconciledTo(),
      ownHealth.health(),
      this.replicas.recent(),
      schedule.nextDueInMs(),
      this.countsOfLast(),
    ]);
    const alive = replicas.filter(({ isAlive }) => isAlive);
    const detail = health.detail ?? alive.find((each) => each.provider.detail !== null)?.provider.detail;
    const { pollIntervalMs, minGapMs } = settings;
    return {
      checkedAt: this.clock.now(),
      name: provider.name,
      host: publicHostOf(provider.urlOf('chains')),
      status: detail === undefined ? 'ok' : 'degraded',
      detail: detail ?? null,
      keyRefused:
        state.rateLimit.circuit === 'credentials' || alive.some((each) => each.provider.isKeyRefused),
      circuit: circuitOf(state, since),
      limits: { ...limitsOf(provider.limits), pollIntervalMs, minGapMs },
      budget: budgetOf(state, provider.limits, last.minute),
      classes: classesOf(demand, state.scale, last.minute),
      lagMs: lagOf(nextDueInMs),
      lastHour: lastHourOf(last.hour),
      lastRefusals: refusalsOf(replicas),
      ...(reconcile === null ? {} : { reconcile }),
      replicas: replicas.map(replicaOf),
    };
  }

  private async countsOfLast() {
    const now = this.clock.now().getTime();
    const { to } = wholeSteps({ from: now, to: now }, MINUTE_MS);
    const begunAt = to - MINUTE_MS;
    const [hour, before, present] = await Promise.all([
      this.figures.sum({ from: to - HOUR_MS, to }),
      this.figures.sum({ from: begunAt - MINUTE_MS, to: begunAt }),
      this.figures.sum({ from: begunAt, to }),
    ]);
    return { hour, minute: slidingMinute(before, present, (now - begunAt) / MINUTE_MS) };
  }
}
