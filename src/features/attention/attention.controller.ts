import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { ACCESS, Allow } from '../../platform/http/access.ts';
import { SharedWork } from '../../platform/scheduling/shared-work.ts';
import { StoreUnavailable } from '../../ports/payments.ts';
import { DatabaseHealth } from '../../ports/readiness.ts';
import { Timers } from '../../ports/timers.ts';
import { AttentionReader, itemsOf } from './attention-reader.ts';
import { databaseItems } from './operating-items.ts';
import { AttentionAnswer } from './attention.dto.ts';

/** Many open dashboards share one reading. */
const FRESH_MS = 5_000;
/** Reading the answer takes at most a fiftieth of the time. */
const TIMES_READING = 50;

/** Answers what needs a person. */
@ApiTags('Operations')
@Controller('api/attention')
export class AttentionController {
  private readonly shared: SharedWork<Readonly<AttentionAnswer>>;
  private last: Readonly<AttentionAnswer> | null = null;

  constructor(
    private readonly reader: AttentionReader,
    private readonly database: DatabaseHealth,
    timers: Timers,
  ) {
    this.shared = new SharedWork({ freshMs: FRESH_MS, timesWork: timesReading, timers });
  }

  @Get()
  @Allow(ACCESS.inspect)
  @ApiOperation({
    operationId: 'getAttention',
    summary: 'What needs a person: counts with links, the money in flight, and the running replicas',
  })
  @ApiOkResponse({ type: AttentionAnswer })
  async read(): Promise<AttentionAnswer> {
    const trouble = this.database.trouble();
    const view = await this.shared
      .run('view', () => this.readNow())
      .catch((error: unknown) => this.lastOr(error));
    return trouble === null ? view : { ...view, items: [...databaseItems(trouble), ...view.items] };
  }

  /** While the database does not answer, what was read last stands beside the item that says so. */
  private lastOr(error: unknown): Readonly<AttentionAnswer> {
    if (!(error instanceof StoreUnavailable) || this.last === null) throw error;
    return this.last;
  }

  private async readNow(): Promise<Readonly<AttentionAnswer>> {
    const reading = await this.reader.read();
    const { checkedAt, inFlight, replicas } = reading;
    this.last = {
      checkedAt,
      items: itemsOf(reading),
      inFlight,
      ...(await this.reader.proofsOfLastDay()),
      ...(await this.reader.firstSteps(reading)),
      replicas: replicas.map(
        ({ providers: _providers, settings: _settings, troubles: _troubles, rpcs: _rpcs, ...replica }) =>
          replica,
      ),
    };
    return this.last;
  }
}

/** A person waits for the next of the first steps, and there is little to read yet, however busy the machine is. */
function timesReading({ firstSteps }: AttentionAnswer): number {
  return firstSteps === undefined ? TIMES_READING : 0;
}
