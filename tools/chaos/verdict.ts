import {
  breach,
  CONSUMERS,
  of,
  wordOf,
  type Arrival,
  type ArrivedEvent,
  type Breach,
  type Consumer,
} from './ledger.ts';
import { doubled, doubledMeanings } from './doubled.ts';
import { judgeProof, PROOF_COUNTS, type ProofEvidence } from './proof/proof-verdict.ts';
import { eventsOf, finalStatusOf, type Story } from './stories.ts';

/** A payment, and the answers that its provider gave. */
export interface Played {
  readonly quoteId: string;
  readonly story: Story;
  /** Null: the reports that Paybell makes are not compared. */
  readonly answers: readonly { readonly text: string }[] | null;
}

/** The results of a run, once everything has healed and settled. */
export interface Evidence {
  /** The payments whose quote was answered to a buyer. */
  readonly played: readonly Played[];
  readonly arrivals: ReadonlyMap<Consumer, readonly Arrival[]>;
  /** The whole log, read anew. */
  readonly log: readonly ArrivedEvent[];
  /** The stored status of each payment. */
  readonly stored: ReadonlyMap<string, string>;
  readonly refused: readonly Breach[];
  readonly tooClose: readonly Breach[];
  readonly tooMany: readonly Breach[];
  /** Two quotes for one Idempotency-Key. */
  readonly twoQuotes: readonly Breach[];
  readonly ended: readonly Breach[];
  /** Null: no chain proves anything. */
  readonly proof: ProofEvidence | null;
}

export const COUNTS = [
  'lost',
  'doubled',
  'reordered',
  'gaps',
  'wrong final states',
  'unexplained events',
  'webhooks refused by signature',
  'polls closer than the gap',
  'requests above the rate limit',
  'replicas that ended by themselves',
  ...PROOF_COUNTS,
] as const;
export type Count = (typeof COUNTS)[number];
export type Verdict = Readonly<Record<Count, readonly Breach[]>>;

/** An event that must not occur in a run, which is too short for a silence or a standstill. */
const NEVER = 'payment.stalled';

/** Judges a run. Each breach is one count. */
export function judge(evidence: Evidence): Verdict {
  const byPayment = groupBy(evidence.log, ({ quoteId }) => quoteId);
  const stories = new Map(evidence.played.map((payment) => [payment.quoteId, payment]));
  const log = [...byPayment].map(([quoteId, events]) => ({ quoteId, events, played: stories.get(quoteId) }));
  return {
    lost: [...lostStories(evidence, byPayment), ...lostArrivals(evidence)],
    doubled: [
      ...evidence.twoQuotes,
      ...doubled(evidence),
      ...log.flatMap(({ events }) => doubledMeanings(events)),
    ],
    reordered: CONSUMERS.flatMap((name) => reordered(name, evidence.arrivals.get(name) ?? [])),
    gaps: log.flatMap(({ quoteId, events }) => gaps(quoteId, events)),
    'wrong final states': wrongFinalStates(evidence, byPayment),
    'unexplained events': log.flatMap(({ events, played }) => unexplained(events, played, evidence.proof)),
    'webhooks refused by signature': evidence.refused,
    'polls closer than the gap': evidence.tooClose,
    'requests above the rate limit': evidence.tooMany,
    'replicas that ended by themselves': evidence.ended,
    ...judgeProof(evidence.proof, log),
  };
}

/** Steps of patient stories without an event, and payments without any event. */
function lostStories({ played }: Evidence, log: ReadonlyMap<string, readonly ArrivedEvent[]>): Breach[] {
  return played.flatMap(({ quoteId, story }) => {
    const made = new Set((log.get(quoteId) ?? []).map(wordOf));
    const due = story.isPatient ? eventsOf(story) : ['created'];
    return due.filter((word) => !made.has(word)).map((word) => breach(quoteId, `${word} was never recorded`));
  });
}

/** Events that a consumer lacks, and events that the log no longer has. */
function lostArrivals({ arrivals, log }: Evidence): Breach[] {
  const logged = new Set(log.map(({ id }) => id));
  return CONSUMERS.filter((name) => arrivals.has(name)).flatMap((name) => {
    const got = arrivals.get(name) ?? [];
    const ids = new Set(got.map(({ event }) => event.id));
    const missing = log
      .filter(({ id }) => !ids.has(id))
      .map((event) => of(event, `never came to the ${name}`));
    const vanished = got
      .filter(({ event }) => !logged.has(event.id))
      .map(({ event, at }) => of(event, `came to the ${name}, and the log lacks it`, at));
    return [...missing, ...vanished];
  });
}

/** First arrivals whose number is lower than that of an earlier first arrival. */
function reordered(name: Consumer, arrivals: readonly Arrival[]): Breach[] {
  const seen = new Set<string>();
  const highest = new Map<string, number>();
  return arrivals.flatMap(({ event, at }) => {
    const { id, quoteId, sequence } = event;
    if (seen.has(id)) return [];
    seen.add(id);
    const before = highest.get(quoteId) ?? 0;
    highest.set(quoteId, Math.max(before, sequence));
    return sequence < before ? [of(event, `came to the ${name} after #${before}`, at)] : [];
  });
}

/** Numbers that are missing, or that an event passes over, as after a database that went back: a run has no such event. */
function gaps(quoteId: string, events: readonly ArrivedEvent[]): Breach[] {
  const numbers = [0, ...new Set(events.map(({ sequence }) => sequence))].sort((a, b) => a - b);
  const holes = numbers.flatMap((number, index) => {
    const missing = number - (numbers[index - 1] ?? 0) - 1;
    return missing > 0 ? [breach(quoteId, `${missing} numbers before #${number} are missing`)] : [];
  });
  const jumps = events.filter(({ previousSequence }) => previousSequence !== null);
  return [...holes, ...jumps.map((event) => of(event, `jumps from #${event.previousSequence}`))];
}

function wrongFinalStates(
  { played, stored }: Evidence,
  log: ReadonlyMap<string, readonly ArrivedEvent[]>,
): Breach[] {
  return played.flatMap(({ quoteId, story }) => {
    const due = finalStatusOf(story);
    const told = log
      .get(quoteId)
      ?.reduce((one, other) => (other.sequence > one.sequence ? other : one)).status;
    const kept = stored.get(quoteId);
    return [
      ...(kept === due ? [] : [breach(quoteId, `is stored as ${kept}, the provider ended with ${due}`)]),
      ...(told === due
        ? []
        : [breach(quoteId, `the last event says ${told}, the provider ended with ${due}`)]),
    ];
  });
}

/** Events with a report that the provider never gave, and events that nothing in a run can cause. */
function unexplained(
  events: readonly ArrivedEvent[],
  played: Played | undefined,
  proof: ProofEvidence | null,
): Breach[] {
  const given = new Set(played?.answers?.map(({ text }) => text));
  // The report of a withheld COMPLETED shows the status of the payment.
  const isGiven = ({ report, status }: ArrivedEvent): boolean =>
    report === null ||
    given.has(report) ||
    (proof?.mode === 'require' && given.has(report.replace(`"${status}"`, '"COMPLETED"')));
  return events.flatMap((event) => {
    if (event.type === NEVER) return [of(event, `${event.reason}: nothing stood still for so long`)];
    if (played === undefined || played.answers === null || isGiven(event)) return [];
    return [of(event, 'carries a report that the provider never gave')];
  });
}

function groupBy<T>(all: readonly T[], keyOf: (each: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const each of all) groups.set(keyOf(each), [...(groups.get(keyOf(each)) ?? []), each]);
  return groups;
}
