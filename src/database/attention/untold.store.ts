import { Injectable } from '@nestjs/common';

import { MOST_COUNTED, type UpTo } from '../../ports/attention.ts';
import { DestinationKinds } from '../../ports/destinations.ts';
import { type Untold, type UntoldEvents, UntoldPayments } from '../../ports/untold-payments.ts';
import { Database } from '../connection/database.ts';
import { type DestinationRow, namedOf } from '../deliveries/named-destination.ts';
import { COUNT_UNTOLD, UNTOLD_OF, WITHOUT_RECEIVER } from './untold.ts';

/** A count that takes longer is given up; the caller asks again. */
const READ_WITHIN_MS = 3_000;

interface CountRow extends DestinationRow {
  readonly id: string | null;
  readonly count: number;
  readonly since: Date | null;
}

interface EventsRow extends DestinationRow {
  readonly quoteId: string;
  readonly id: string;
  readonly events: number;
  readonly sequence: number;
  readonly since: Date;
}

/** Counts untold payments by the index of deliveries that are not acknowledged. */
@Injectable()
export class PostgresUntoldPayments extends UntoldPayments {
  constructor(
    private readonly database: Database,
    private readonly kinds: DestinationKinds,
  ) {
    super();
  }

  async now(): Promise<Untold> {
    const rows = await this.database.reads.query<CountRow>(COUNT_UNTOLD, [], READ_WITHIN_MS);
    const destinations = rows.flatMap(({ id, count, since, ...row }) =>
      id === null ? [] : [{ destination: namedOf(id, row, this.kinds), ...upTo(count, since) }],
    );
    const all = rows.find(({ id }) => id === null);
    const isMore = destinations.some((each) => each.isMore);
    const together = upTo(all?.count ?? 0, all?.since ?? null);
    return { ...together, isMore: isMore || together.isMore, destinations };
  }

  async of(quoteIds: readonly string[]): Promise<ReadonlyMap<string, readonly UntoldEvents[]>> {
    const found = new Map<string, UntoldEvents[]>();
    for (const row of await this.database.reads.query<EventsRow>(UNTOLD_OF, [quoteIds])) {
      const { quoteId, id, events, sequence, since } = row;
      const untold = { destination: namedOf(id, row, this.kinds), events, sequence, since };
      found.set(quoteId, [...(found.get(quoteId) ?? []), untold]);
    }
    return found;
  }

  async withoutReceiver(): Promise<number> {
    const [row] = await this.database.reads.query<{ count: number }>(WITHOUT_RECEIVER, [], READ_WITHIN_MS);
    return row?.count ?? 0;
  }
}

function upTo(count: number, since: Date | null): UpTo {
  return { count: Math.min(count, MOST_COUNTED), isMore: count > MOST_COUNTED, since };
}
