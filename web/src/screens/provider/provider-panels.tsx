import type { ProviderState } from '../../api/overview-types.ts';
import { count } from '../../format/amount.ts';
import { duration, took } from '../../format/time.ts';
import { Facts, Panel } from '../../ui/panel.tsx';
import { Time, Until } from '../../ui/time.tsx';

export function Budget({ state: { budget, circuit, lagMs } }: { state: ProviderState }) {
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
          slowedBy === null
            ? null
            : ['Slowed by', slowedBy === 'asked' ? "the provider's wish" : 'a backlog'],
          ['Behind schedule', lagMs === 0 ? 'no' : duration(lagMs)],
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

export function LastHour({ state: { lastHour } }: { state: ProviderState }) {
  const { polls, requests, detectionGap } = lastHour;
  return (
    <Panel title="The last hour">
      <Facts
        rows={[
          ...Object.entries(polls).map(([outcome, value]) => [outcomeName(outcome), count(value)] as const),
          ['An answer took, half within', quantile(requests.p50)],
          ['99 % within', quantile(requests.p99)],
          ['A change was seen, half within', quantile(detectionGap.p50)],
          ['99 % of changes within', quantile(detectionGap.p99)],
        ]}
      />
    </Panel>
  );
}

function quantile(value: number | null): string {
  return value === null ? '–' : took(value);
}

function outcomeName(outcome: string): string {
  const name = outcome.replaceAll('_', ' ');
  return `Polls: ${name}`;
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
