import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { ACCESS, Allow } from '../../platform/http/access.ts';
import { SharedWork } from '../../platform/scheduling/shared-work.ts';
import { Clock } from '../../ports/clock.ts';
import { StoreUnavailable } from '../../ports/payments.ts';
import { DatabaseHealth } from '../../ports/readiness.ts';
import { StoreBusy } from '../../ports/store-busy.ts';
import { Timers } from '../../ports/timers.ts';
import { AttentionReader, itemsOf } from './attention-reader.ts';
import { databaseItem } from './operating-items.ts';
import { AttentionAnswer } from './attention.dto.ts';

/** Many open dashboards share one reading. */
const FRESH_MS = 5_000;
/** Reading the answer takes at most a fiftieth of the time. */
const TIMES_READING = 50;
/** Then what was read last stands beside the item that says why. */
const READ_WITHIN_MS = 8_000;

/** Answers what needs a person. */
@ApiTags('Operations')
@Controller('api/attention')
export class AttentionController {
  private readonly shared: SharedWork<Readonly<AttentionAnswer>>;
  private last: Readonly<AttentionAnswer> | null = null;

  constructor(
    private readonly reader: AttentionReader,
    private readonly database: DatabaseHealth,
    private readonly clock: Clock,
    private readonly timers: Timers,
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
    const reading = this.shared.run('view', () => this.readNow());
    const [view, failure] = await this.inTime(reading).then(
      (read) => [read, null] as const,
      (error: unknown) => [this.lastOr(error), unavailable(error)] as const,
    );
    const trouble = this.database.trouble() ?? failure;
    return trouble === null ? view : { ...view, items: [databaseItem(trouble), ...view.items] };
  }

  private inTime<Answer>(reading: Promise<Answer>): Promise<Answer> {
    let cancel: () => void;
    const late = new Promise<never>((_resolve, reject) => {
      cancel = this.timers.after(READ_WITHIN_MS, () => reject(new StoreUnavailable()));
    });
    return Promise.race([reading, late]).finally(() => cancel());
  }

  /** The last answer. Before the first, at least none of everything or, from a busy service, the error. */
  private lastOr(error: unknown): Readonly<AttentionAnswer> {
    if (this.last !== null) return this.last;
    if (error instanceof StoreBusy) throw error;
    const inFlight = { count: 0, isMore: true, sums: [], otherTokens: 0 };
    return { checkedAt: this.clock.now(), items: [], inFlight, replicas: [] };
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

/** The trouble that an error of the database shows; null where that answers others. Throws every other error again. */
function unavailable(error: unknown): { detail: string; since: null } | null {
  if (error instanceof StoreBusy) return null;
  if (error instanceof StoreUnavailable) return { detail: error.reason, since: null };
  throw error;
}

/** A person waits for the next of the first steps, and there is little to read yet, however busy the machine is. */
function timesReading({ firstSteps }: AttentionAnswer): number {
  return firstSteps === undefined ? TIMES_READING : 0;
}
