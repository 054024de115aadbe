import { queryOptions } from '@tanstack/react-query';

import { call } from './client.ts';
import type { Figures } from './overview-types.ts';

const MINUTE_MS = 60_000;

export const SPANS = {
  '1 h': { spanMs: 3_600_000, step: 60 },
  '24 h': { spanMs: 86_400_000, step: 900 },
  '14 days': { spanMs: 14 * 86_400_000, step: 21_600 },
} as const;
export type Span = keyof typeof SPANS;

/** The recent figures of one endpoint, of one provider, or of all. */
export function figuresQuery(
  span: Span,
  about?: { readonly endpointId: string } | { readonly provider: string },
) {
  return queryOptions({
    queryKey: ['figures', span, about ?? null] as const,
    queryFn: ({ signal }) => {
      const { spanMs, step } = SPANS[span];
      const to = Date.now();
      const query = {
        from: new Date(to - spanMs).toISOString(),
        to: new Date(to).toISOString(),
        step,
        ...about,
      };
      return call('get', '/api/figures', { query, signal });
    },
    refetchInterval: MINUTE_MS / 2,
  });
}

/** Figures are written once a minute: those of a minute that has just ended may be missing, which does not mean zero. */
const WRITTEN_AFTER_MS = 2 * MINUTE_MS;

/** The times of all known steps, including steps without activity, which the answer leaves out. */
export function timesOf({ from, to, step, all }: Figures, now = Date.now()): number[] {
  const last = Math.max(Date.parse(all.at(-1)?.at ?? from), now - WRITTEN_AFTER_MS);
  const times: number[] = [];
  for (let at = Date.parse(from); at < Date.parse(to) && at <= last; at += step * 1_000) times.push(at);
  return times;
}

/** One value for each step; `none` for steps without activity. */
export function seriesOf<Point extends { readonly at: string }, None extends number | null>(
  times: readonly number[],
  points: readonly Point[],
  valueOf: (point: Point) => number | None,
  none: None,
): (number | None)[] {
  const byTime = new Map(points.map((point) => [Date.parse(point.at), point]));
  return times.map((time) => {
    const point = byTime.get(time);
    return point === undefined ? none : valueOf(point);
  });
}

export function failedOf({ failed }: { failed: Readonly<Record<string, number>> }): number {
  return Object.values(failed).reduce((sum, value) => sum + value, 0);
}
