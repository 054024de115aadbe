import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { HOUR_MS, wholeSteps } from '../../domain/figures/time-ranges.ts';
import { ACCESS, Allow } from '../../platform/http/access.ts';
import { SharedWork } from '../../platform/scheduling/shared-work.ts';
import { Clock } from '../../ports/clock.ts';
import { connectionTroubles } from '../../ports/connection-troubles.ts';
import { KnownDestinations } from '../../ports/destination-facts.ts';
import { MinuteFigures } from '../../ports/minute-figures.ts';
import { ConnectionHealths } from '../../ports/readiness.ts';
import { Replicas, ThisReplica } from '../../ports/replicas.ts';
import { WebhookEndpoints } from '../../ports/webhook-endpoints.ts';
import { destinationView } from './destination-view.ts';
import { DestinationAnswer, DestinationsAnswer } from './destinations.dto.ts';

const MINUTE_MS = 60_000;

/** No destination has this id. */
export class UnknownDestination extends Error {
  readonly code = 'unknown_destination';
  constructor() {
    super('There is no destination with this id.');
  }
}

/** Returns the state of each destination, a webhook endpoint or RabbitMQ's exchange. */
@ApiTags('Destinations')
@Allow(ACCESS.inspect)
@Controller('api/destinations')
export class DestinationsController {
  /** Shared by open dashboards that ask at once. */
  private readonly flights = new SharedWork<DestinationAnswer[]>();

  constructor(
    private readonly destinations: KnownDestinations,
    private readonly webhooks: WebhookEndpoints,
    private readonly figures: MinuteFigures,
    private readonly connections: ConnectionHealths,
    private readonly replicas: Replicas,
    private readonly replica: ThisReplica,
    private readonly clock: Clock,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'listDestinations',
    summary: 'All that events are sent to, and how each fares: RabbitMQ first, then endpoints',
  })
  @ApiOkResponse({ type: DestinationsAnswer })
  async list(): Promise<DestinationsAnswer> {
    return { data: await this.read() };
  }

  @Get(':id')
  @ApiOperation({
    operationId: 'getDestination',
    summary: 'One destination: rabbitmq, or a webhook endpoint by its id',
  })
  @ApiOkResponse({ type: DestinationAnswer })
  async one(@Param('id') id: string): Promise<DestinationAnswer> {
    const found = (await this.read()).find((each) => each.id === id);
    if (found === undefined) throw new UnknownDestination();
    return found;
  }

  private read(): Promise<DestinationAnswer[]> {
    return this.flights.run('all', () => this.readNow());
  }

  private async readNow(): Promise<DestinationAnswer[]> {
    const to = this.clock.now().getTime();
    const range = wholeSteps({ from: to - HOUR_MS, to }, MINUTE_MS);
    const [all, unreadable, sums, replicas] = await Promise.all([
      this.destinations.list(),
      this.webhooks.unreadable(),
      this.figures.sumsOfDestinations(range, null),
      this.replicas.recent(),
    ]);
    const others = replicas.filter(({ id, isAlive }) => isAlive && id !== this.replica.id);
    const counts = new Map(sums.map((sum) => [sum.destinationId, sum.counts]));
    return all.map((facts) =>
      destinationView(facts, {
        trouble: connectionTroubles(facts.kind, this.connections, others)[0] ?? null,
        isUnreadable: unreadable.includes(facts.rowId),
        counts: counts.get(facts.rowId) ?? {},
      }),
    );
  }
}
