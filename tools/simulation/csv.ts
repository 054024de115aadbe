import type { Observations } from './observations.ts';
import type { Run } from './run.ts';

type Row = readonly [figure: string, poller: string, of: string, minute: string, value: string];

const MINUTE_MS = 60_000;
const HEAD: Row = ['figure', 'poller', 'of', 'minute', 'value'];

/** A run as CSV with one figure in a row: the delay of each change, the requests of each minute, and the troubles. */
export function csvOf({ paybell, fixed, troubles }: Run): string {
  const rows: Row[] = [
    HEAD,
    ...rowsOf('paybell', paybell),
    ...rowsOf('fixed', fixed),
    ...troubles.map(({ label, from, to }): Row => {
      const [start, length] = [from, to - from].map((ms) => (ms / MINUTE_MS).toFixed(2));
      return ['trouble_minutes', '', label, start ?? '', length ?? ''];
    }),
  ];
  return `${rows.map((row) => row.join(',')).join('\n')}\n`;
}

function rowsOf(poller: string, { sightings, perMinute }: Observations): Row[] {
  const delays = sightings.map(({ status, delayMs }): Row => [
    'delay_ms',
    poller,
    status,
    '',
    String(Math.round(delayMs)),
  ]);
  // A minute without a request has no entry.
  const minutes = Array.from({ length: perMinute.length }, (_none, minute): Row => [
    'requests',
    poller,
    '',
    String(minute),
    String(perMinute[minute] ?? 0),
  ]);
  return [...delays, ...minutes];
}
