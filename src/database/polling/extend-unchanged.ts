import { sparesPolls, unchangedUntil } from '../../domain/polling/unchanged.ts';
import { urgencyName } from '../../domain/polling/urgency.ts';
import type { Poll } from '../../ports/schedule.ts';
import type { Queries } from '../../ports/queries.ts';
import type { RecordSettings } from '../events/record-settings.ts';

interface Kept {
  readonly poll: Poll;
  readonly until: Date | null;
}

/** Updates the schedule for polls that changed neither their payment nor its next due time. */
export async function extendUnchanged(
  queries: Queries,
  polls: readonly Poll[],
  rules: RecordSettings,
  now: Date,
): Promise<void> {
  const kept = polls.flatMap((poll) => {
    const until = unchangedUntil(
      poll.payment,
      poll.judgedAt,
      { ...rules.urgency, stalledAfterMs: rules.stalledAfterMs },
      poll.claim.hintedAt,
    );
    return isNews({ poll, until }, now) ? [{ poll, until }] : [];
  });
  if (kept.length === 0) return;
  // All replicas use one order, so that no two transactions ever wait for each other.
  kept.sort((a, b) => Number(BigInt(a.poll.claim.paymentId) - BigInt(b.poll.claim.paymentId)));
  await queries.query(KEEP, [
    kept.map(({ poll }) => poll.claim.paymentId),
    kept.map(({ poll }) => poll.claim.token),
    kept.map(({ poll }) => urgencyName(poll.next.urgency)),
    kept.map(({ until }) => until),
  ]);
}

function isNews({ poll: { claim, next }, until }: Kept, now: Date): boolean {
  if (next.urgency !== claim.urgency) return true;
  return claim.knownDigest === null && sparesPolls(until, now, claim.nextInMs);
}

/**
 * Leaves out rows that got a hint or a notice during the poll, and rows of an earlier epoch: after the database went back, the
 * present state must be published. A crash may undo this write: then the next poll is judged anew.
 */
const KEEP = `
  WITH async_commit AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)),
  present AS MATERIALIZED (SELECT epoch FROM join_log() WHERE (SELECT true FROM async_commit))
  UPDATE payment_schedule s
  SET urgency = i.urgency, unchanged_until = i.until
  FROM unnest($1::bigint[], $2::bigint[], $3::poll_urgency[], $4::timestamptz[]) AS i (id, token, urgency, until),
    payment p, present
  WHERE s.payment_id = i.id AND s.token = i.token AND p.id = i.id AND p.epoch = present.epoch
    AND (s.hinted_at > s.polled_at) IS NOT TRUE AND (s.noticed_at > s.polled_at) IS NOT TRUE`;
