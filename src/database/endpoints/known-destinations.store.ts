import { Injectable } from '@nestjs/common';

import { type DestinationFacts, KnownDestinations, type LastFailure } from '../../ports/destination-facts.ts';
import { DestinationKinds } from '../../ports/destinations.ts';
import { Database } from '../connection/database.ts';
import { namedOf } from '../deliveries/named-destination.ts';
import { MOST_PENDING_IN_A_LIST } from '../deliveries/pending-of-endpoints.ts';
import { type JsonColumns, STATE_COLUMNS, stateTables, withDate } from './endpoint-row.ts';

/** A read that takes longer is given up; the caller asks again. */
const READ_WITHIN_MS = 5_000;
/** The most failed deliveries in retry that are searched for the last failure. */
const MOST_LOOKED_AT = 1_000;
const LAST_ID = '9223372036854775807';

type Stored = Omit<DestinationFacts, 'id' | 'kind' | 'name' | 'lastFailure' | keyof JsonColumns>;
type FailedColumns = { readonly [Name in keyof LastFailure as `failed_${Name}`]: LastFailure[Name] | null };

type Row = Stored &
  FailedColumns &
  JsonColumns & { readonly kind: string; readonly description: string | null };

/** The rows of `destination`, with the state that their deliveries show. */
@Injectable()
export class PostgresKnownDestinations extends KnownDestinations {
  constructor(
    private readonly database: Database,
    private readonly kinds: DestinationKinds,
  ) {
    super();
  }

  async list(): Promise<DestinationFacts[]> {
    const rows = await this.database.reads.query<Row>(LIST, [], READ_WITHIN_MS);
    return rows.map((row) => factsOf(row, this.kinds));
  }
}

function factsOf(
  { kind, description, refused, unsent, ...row }: Row,
  kinds: DestinationKinds,
): DestinationFacts {
  const {
    failed_at,
    failed_failure,
    failed_code,
    failed_httpStatus,
    failed_excerpt,
    failed_deliveryId,
    ...stored
  } = row;
  const named = namedOf(stored.rowId, { kind, url: stored.url, description }, kinds);
  const lastFailure =
    failed_at === null || failed_failure === null || failed_deliveryId === null
      ? null
      : {
          at: failed_at,
          failure: failed_failure,
          code: failed_code,
          httpStatus: failed_httpStatus,
          excerpt: failed_excerpt,
          deliveryId: failed_deliveryId,
        };
  return { ...stored, ...named, kind, refused: withDate(refused), unsent: withDate(unsent), lastFailure };
}

/** Reads the newest refused payments: if there are more than MOST_LOOKED_AT, the answer is one of the last failures. */
const LAST_FAILED = `
  SELECT d.*, coalesce(d.attempt_made_at, d.last_attempt_at) AS at FROM (
    (SELECT * FROM delivery WHERE destination_id = x.id AND state = 'pending' AND attempts > 0
      ORDER BY payment_id DESC LIMIT ${MOST_LOOKED_AT})
    UNION ALL
    (SELECT * FROM delivery WHERE (destination_id, state, id) < (x.id, 'failed', ${LAST_ID})
      ORDER BY destination_id DESC, state DESC, id DESC LIMIT 1)
  ) d
  WHERE d.destination_id = x.id AND d.state IN ('pending', 'failed') AND d.last_failure IS NOT NULL
  ORDER BY at DESC LIMIT 1`;

const LIST = `
  SELECT x.id AS "rowId", x.kind, x.url, x.description, x.enabled, x.disabled_reason AS "disabledReason",
    x.tested_at AS "testedAt",
    ${STATE_COLUMNS}, backlog.pending >= ${MOST_PENDING_IN_A_LIST} AS "isMore", failed.at AS failed_at, failed.last_failure AS failed_failure,
    failed.last_code AS failed_code, failed.last_http_status AS "failed_httpStatus", failed.attempt_excerpt AS failed_excerpt,
    failed.id AS "failed_deliveryId"
  ${stateTables(MOST_PENDING_IN_A_LIST)}
  LEFT JOIN LATERAL (${LAST_FAILED}) failed ON true
  WHERE x.enabled OR x.url IS NOT NULL
  ORDER BY x.url IS NOT NULL, x.created_at, x.id`;
