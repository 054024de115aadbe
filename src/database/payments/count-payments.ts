import { type Counted, MOST_COUNTED } from '../../ports/attention.ts';
import type { PaymentConditions } from '../../ports/payments.ts';
import type { Queries } from '../../ports/queries.ts';
import type { PaymentPosition } from '../connection/cursor.ts';
import {
  findCandidates,
  findNeedy,
  findUntold,
  type Candidates,
  type FilterScope,
} from './list-candidates.ts';
import { countStatement, listStatement, type ListedRow } from './list-statement.ts';

/** One payment more shows that there are more. */
const MOST = MOST_COUNTED + 1;
/** How many payments are read and tested at once, in some ten milliseconds. */
const JUDGED = 100;
const JUDGE_WITHIN_MS = 1_500;

/**
 * Counts by an index where one answers the filter; otherwise tests the newest payments as the list does, until the time is
 * up.
 */
export async function countPayments(
  queries: Queries,
  conditions: PaymentConditions,
  scope: FilterScope,
): Promise<Counted> {
  const { search, chain, token, awaitingProof, attention, ...inRows } = conditions;
  const isJudged = [search, chain, token, awaitingProof].some((each) => each !== undefined);
  if (!isJudged && attention === undefined && conditions.undelivered === true) {
    const untold = await findUntold(queries, MOST);
    if (untold !== null) return countOf(queries, inRows, untold);
  }
  if (!isJudged && attention !== undefined && conditions.undelivered === undefined)
    return countOf(queries, inRows, await findNeedy(queries, attention, scope.rules));
  const found = await findCandidates(queries, conditions, scope);
  return found === null ? countOf(queries, inRows, null) : judge(queries, conditions, found);
}

async function countOf(
  queries: Queries,
  conditions: PaymentConditions,
  ids: readonly string[] | null,
): Promise<Counted> {
  const { sql, parameters } = countStatement({ ...conditions, ids }, MOST);
  const [row] = await queries.query<{ count: number }>(sql, parameters);
  return counted(row?.count ?? 0, (ids?.length ?? 0) >= MOST);
}

async function judge(queries: Queries, conditions: PaymentConditions, found: Candidates): Promise<Counted> {
  const until = performance.now() + JUDGE_WITHIN_MS;
  let count = 0;
  let after: PaymentPosition | null = null;
  while (count < MOST && performance.now() < until) {
    const { sql, parameters } = listStatement({ ...conditions, ids: found.ids }, after, JUDGED);
    const rows: ListedRow[] | null = await inTurn(async () =>
      performance.now() < until ? queries.query<ListedRow>(sql, parameters) : null,
    );
    if (rows === null) break;
    count += rows.filter((row) => found.isMatch(row)).length;
    const last = rows.at(-1);
    if (last === undefined || (rows.length < JUDGED && !last.is_cut)) return counted(count, false);
    after = { createdUs: last.created_us, id: last.id };
  }
  return counted(count, true);
}

function counted(count: number, isMore: boolean): Counted {
  return { count: Math.min(count, MOST_COUNTED), isMore: isMore || count > MOST_COUNTED };
}

let last: Promise<void> = Promise.resolve();
let waiting = 0;

/**
 * Runs pieces of work that each keep the process busy for many milliseconds, one after another. While other work waits, each
 * is followed by a pause of its own length: half of the process's time stays free for quotes, polls and deliveries.
 */
async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  const before = last;
  const ends: (() => void)[] = [];
  last = new Promise<void>((resolve) => void ends.push(resolve));
  waiting += 1;
  await before;
  waiting -= 1;
  const beganAt = performance.now();
  try {
    return await work();
  } finally {
    const pauseMs = waiting === 0 ? 0 : performance.now() - beganAt;
    for (const end of ends) setTimeout(end, pauseMs);
  }
}
