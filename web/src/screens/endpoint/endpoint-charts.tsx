import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';

import { failedOf, figuresQuery, seriesOf, timesOf, type Span } from '../../api/figures-query.ts';
import type { Figures } from '../../api/overview-types.ts';
import { count } from '../../format/amount.ts';
import { took } from '../../format/time.ts';
import { Chart } from '../../ui/chart.tsx';
import layout from '../../ui/layout.module.css';
import { ProblemNote } from '../../ui/notes.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { SpanPicker } from '../../ui/span-picker.tsx';

/** The endpoint's acknowledged and failed deliveries, and the time from an event to its acknowledgement. */
export function EndpointCharts({ endpointId }: { endpointId: string }) {
  const [span, setSpan] = useState<Span>('1 h');
  const { data, error, refetch } = useQuery(figuresQuery(span, { endpointId }));
  return (
    <Panel title="Deliveries over time" actions={<SpanPicker span={span} onChange={setSpan} />}>
      {data === undefined && error !== null ? (
        <ProblemNote error={error} onRetry={() => void refetch()} />
      ) : null}
      {data === undefined && error === null ? <Skeleton lines={4} /> : null}
      {data === undefined ? null : <Charts figures={data} />}
    </Panel>
  );
}

function Charts({ figures }: { figures: Figures }) {
  const { times, delivered, failed, p50, p95 } = useMemo(() => {
    const points = figures.endpoints[0]?.points ?? [];
    const times = timesOf(figures);
    return {
      times,
      delivered: seriesOf(times, points, ({ deliveries }) => deliveries.delivered, 0),
      failed: seriesOf(times, points, ({ deliveries }) => failedOf(deliveries), 0),
      p50: seriesOf(times, points, ({ latency }) => latency.p50, null),
      p95: seriesOf(times, points, ({ latency }) => latency.p95, null),
    };
  }, [figures]);
  return (
    <div className={layout['charts']}>
      <Chart
        title="Attempts"
        times={times}
        series={[
          { name: 'acknowledged', color: 'ok', values: delivered },
          { name: 'failed', color: 'bad', values: failed },
        ]}
        format={count}
      />
      <Chart
        title="From event to acknowledgement"
        times={times}
        series={[
          { name: 'half within', color: 'accent', values: p50 },
          { name: '95 % within', color: 'wait', values: p95, isDashed: true },
        ]}
        format={took}
      />
    </div>
  );
}
