import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { isUUID } from 'class-validator';

import { NOBODY } from '../../domain/event/told.ts';
import { HOUR_MS, wholeSteps, type TimeRange } from '../../domain/figures/time-ranges.ts';
import { ACCESS, Allow } from '../../platform/http/access.ts';
import { InvalidField } from '../../platform/http/invalid-field.ts';
import { checkProviderName } from '../../platform/http/known-provider.ts';
import { SharedWork } from '../../platform/scheduling/shared-work.ts';
import { Clock } from '../../ports/clock.ts';
import { SingleTargets } from '../../ports/destinations.ts';
import { ProviderCells } from '../../ports/provider-cell.ts';
import { MinuteFigures } from '../../ports/minute-figures.ts';
import { byFailures, deliveryPointOf, endpointOf, pointOf } from './figure-views.ts';
import { FiguresAnswer, FiguresQuery, MAX_POINTS, SHORTEST_STEP_S } from './figures.dto.ts';

interface Asked extends TimeRange {
  readonly stepMs: number;
  readonly endpointId: string | null;
  readonly provider: string | null;
}

type FiguresView = Awaited<ReturnType<FiguresController['answer']>>;

/** The minute figures of all replicas. */
@ApiTags('Operations')
@Controller('api/figures')
export class FiguresController {
  /** Shared by open dashboards that ask for the same minutes. */
  private readonly flights = new SharedWork<FiguresView>();

  constructor(
    private readonly figures: MinuteFigures,
    private readonly targets: SingleTargets,
    private readonly cells: ProviderCells,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Allow(ACCESS.inspect)
  @ApiOperation({ operationId: 'getFigures', summary: 'Polls, changes, deliveries and latencies over time' })
  @ApiOkResponse({ type: FiguresAnswer })
  read(@Query() query: FiguresQuery): Promise<FiguresView> {
    const asked = this.askedBy(query);
    return this.flights.run(JSON.stringify(asked), () => this.answer(asked));
  }

  private async answer({ from, to, stepMs, endpointId, provider }: Asked) {
    const length = stepMs % HOUR_MS === 0 ? 'hour' : 'minute';
    const range = { from, to };
    const all = await this.figures.series(provider === null ? null : { provider }, range, stepMs, length);
    const target = endpointId === null || isUUID(endpointId) ? endpointId : await this.targetOf(endpointId);
    const sums = await this.figures.sumsOfDestinations(range, target);
    const points =
      target === null || sums.length === 0
        ? []
        : await this.figures.series({ destinationId: target }, range, stepMs, length);
    return {
      from: new Date(from),
      to: new Date(to),
      step: stepMs / 1_000,
      all: all.map(pointOf),
      endpoints: sums
        .toSorted(byFailures)
        .map((sum) => ({ ...endpointOf(sum), points: points.map(deliveryPointOf) })),
    };
  }

  /** The target of a kind with a single target. */
  private async targetOf(kind: string): Promise<string> {
    return (await this.targets.idOf(kind)) ?? NOBODY;
  }

  private askedBy({ from, to, step, endpointId, provider }: FiguresQuery): Asked {
    const stepMs = Number(step || SHORTEST_STEP_S) * 1_000;
    const now = this.clock.now().getTime();
    const end = to ? Date.parse(to) : now;
    const start = from ? Date.parse(from) : end - HOUR_MS;
    if (start >= end) throw new InvalidField('from', 'must be before `to`');
    const range = wholeSteps({ from: start, to: end }, stepMs);
    if ((range.to - range.from) / stepMs > MAX_POINTS)
      throw new InvalidField('step', `must be longer: the range has more than ${MAX_POINTS} steps`);
    if (provider) checkProviderName('provider', provider, this.cells.everyName);
    return { ...range, stepMs, endpointId: endpointId || null, provider: provider || null };
  }
}
