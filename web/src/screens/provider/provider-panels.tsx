import type { ProviderState } from '../../api/overview-types.ts';
import { atLeast, count } from '../../format/amount.ts';
import { duration, took } from '../../format/time.ts';
import { Facts, Panel } from '../../ui/panel.tsx';
import { Time, Until } from '../../ui/time.tsx';

export function Budget({ state: { budget, circuit, lagMs, unansweredQuotes } }: { state: ProviderState }) {
  const { requestsPerMinuteNow, available, usedLastMinute, pausedUntil, slowedBy } = budget;
  return (
    <Panel title="Now">
      <Facts
        rows={[
          ['Circuit', circuit.since === null ? circuit.state : <CircuitSince key="circuit" {...circuit} />],
          circuit.nextProbeAt === null
            ? null
            : ['Next probe', <Until key="probe" at={circuit.nextProbeAt} />],
          ['Requests, last minute', count(usedLastMinute)],
          ['Allowed a minute now', requestsPerMinuteNow === null ? 'no limit' : count(requestsPerMinuteNow)],
          available === null ? null : ['Left at this moment', count(available)],
          pausedUntil === null ? null : ['Paused', <Until key="paused" at={pausedUntil} />],
          slowedBy === null ? null : ['Slowed by', "the provider's wish"],
          ['Behind schedule', lagMs === 0 ? 'no' : duration(lagMs)],
          ['Quotes without an answer, last day', unansweredQuotes === 0 ? 'none' : atLeast(unansweredQuotes)],
        ]}
      />
    </Panel>
  );
}

function CircuitSince({ state, since }: { state: string; since: string | null }) {
  return (
    <>
      {state} since <Time at={since} />
    </>
  );
}

type Polls = ProviderState['lastHour']['polls'];

/** The outcomes of polls; troubles are shown only if there were some. */
const OUTCOMES: readonly (readonly [outcome: keyof Polls, words: string, isAlways: boolean])[] = [
  ['unchanged', 'Asked, and nothing was new', true],
  ['changed', 'Asked, and something had changed', true],
  ['refused', 'Payments that it does not know', false],
  ['foreign', 'Answers about another quote', false],
  ['throttled', 'Told to slow down', false],
  ['credentials', 'Our key was not accepted', false],
  ['unavailable', 'No usable answer', false],
];

export function LastHour({ state: { lastHour } }: { state: ProviderState }) {
  const { polls, requests, detectionGap } = lastHour;
  return (
    <Panel title="The last hour">
      <Facts
        rows={[
          ...OUTCOMES.filter(([outcome, , isAlways]) => isAlways || (polls[outcome] ?? 0) > 0).map(
            ([outcome, words]) => [words, count(polls[outcome] ?? 0)] as const,
          ),
          ['An answer took (median)', quantile(requests.p50)],
          ['99 % of answers within', quantile(requests.p99)],
          ['A change was seen within (median)', quantile(detectionGap.p50)],
          ['99 % of changes within', quantile(detectionGap.p99)],
        ]}
      />
    </Panel>
  );
}

function quantile(value: number | null): string {
  return value === null ? '–' : took(value);
}

export function Limits({ state: { limits, reconcile } }: { state: ProviderState }) {
  const {
    requestsPerMinute,
    maxConcurrency,
    batchSize,
    timeoutMs,
    pollIntervalMs,
    minGapMs,
    quotesPerMinute,
  } = limits;
  return (
    <Panel title="Settings">
      <Facts
        rows={[
          ['Requests a minute', requestsPerMinute === null ? 'no limit' : count(requestsPerMinute)],
          quotesPerMinute === null ? null : ['Quotes a minute', count(quotesPerMinute)],
          ['At once', count(maxConcurrency)],
          batchSize === 1 ? null : ['Payments in a request', count(batchSize)],
          ['Interval of an open payment', took(pollIntervalMs)],
          ['Never closer than', took(minGapMs)],
          ['Longest wait for an answer', took(timeoutMs)],
          !reconcile
            ? null
            : ['Reconciled up to', <Time key="to" at={reconcile.reconciledTo} none="not yet" />],
        ]}
      />
    </Panel>
  );
}
