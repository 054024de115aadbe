import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';

import { figuresQuery, seriesOf, SPANS, timesOf, type Span } from '../../api/figures-query.ts';
import type { Figures } from '../../api/overview-types.ts';
import { count } from '../../format/amount.ts';
import { took } from '../../format/time.ts';
import { Chart } from '../../ui/chart.tsx';
import type { Series } from '../../ui/plot.tsx';
import layout from '../../ui/layout.module.css';
import { ProblemNote } from '../../ui/notes.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { SpanPicker } from '../../ui/span-picker.tsx';

/** Outcomes of a poll that are no answer about the payment. */
const TROUBLES: ReadonlySet<string> = new Set([
  'throttled',
  'credentials',
  'unavailable',
  'refused',
  'foreign',
]);

export function ProviderCharts({ provider, limit }: { provider: string; limit: number | null }) {
  const [span, setSpan] = useState<Span>('1 h');
  const { data, error, refetch } = useQuery(figuresQuery(span, { provider }));
  return (
    <Panel title="Over time" actions={<SpanPicker span={span} onChange={setSpan} />}>
      {data === undefined && error !== null ? (
        <ProblemNote error={error} onRetry={() => void refetch()} />
      ) : null}
      {data === undefined && error === null ? <Skeleton lines={4} /> : null}
      {data === undefined ? null : <Charts figures={data} minutes={SPANS[span].step / 60} limit={limit} />}
    </Panel>
  );
}

function Charts({ figures, minutes, limit }: { figures: Figures; minutes: number; limit: number | null }) {
  const made = useMemo(() => {
    const times = timesOf(figures);
    const of = <None extends number | null>(
      valueOf: (point: Figures['all'][number]) => number | null,
      none: None,
    ) => seriesOf(times, figures.all, valueOf, none);
    const aMinute = (value: number): number => value / minutes;
    return {
      times,
      asked: of(({ polls }) => aMinute(sumOf(polls, () => true)), 0),
      failed: of(({ polls }) => aMinute(sumOf(polls, (outcome) => TROUBLES.has(outcome))), 0),
      allowed: times.map(() => limit),
      answered: of(({ requests }) => requests.p95, null),
      seen: of(({ detectionGap }) => detectionGap.p50, null),
    };
  }, [figures, minutes, limit]);
  const asked: Series[] = [
    { name: 'polls a minute', color: 'accent', values: made.asked },
    { name: 'without an answer', color: 'bad', values: made.failed },
    ...(limit === null
      ? []
      : [{ name: 'allowed', color: 'wait' as const, values: made.allowed, isDashed: true }]),
  ];
  return (
    <div className={layout['charts']}>
      <Chart title="Requests" times={made.times} series={asked} format={count} />
      <Chart
        title="Time taken"
        times={made.times}
        series={[
          { name: 'a change is seen, half within', color: 'accent', values: made.seen },
          { name: 'an answer, 95 % within', color: 'wait', values: made.answered, isDashed: true },
        ]}
        format={took}
      />
    </div>
  );
}

function sumOf(counts: Readonly<Record<string, number>>, isCounted: (name: string) => boolean): number {
  return Object.entries(counts).reduce((sum, [name, value]) => (isCounted(name) ? sum + value : sum), 0);
}
