import { STATUSES } from '../../src/domain/payment/status.ts';
import { allDelaysOf, CHANGES, delaysOf, type Delays } from './delays.ts';
import { figuresOf } from './figures.ts';
import type { Observations, Sighting } from './observations.ts';
import { TIMES } from './paybell.ts';
import type { Run } from './run.ts';

type Row = readonly [what: string, paybell: string, fixed: string];

const DELAY_ROWS: readonly (readonly [string, (each: Sighting) => boolean])[] = [
  ...STATUSES.filter((status) => status !== 'AWAITING_DEPOSIT').map(
    (status) => [`→ ${status}`, CHANGES.to(status)] as const,
  ),
  ['EXECUTING → any', CHANGES.outOfExecuting],
  ['all after the deposit', CHANGES.afterDeposit],
  ['… the deposit itself apart', CHANGES.afterDepositItself],
  ['… once the deposit is known', CHANGES.ofKnownDeposits],
  ['late ones', CHANGES.late],
];

const TROUBLED_ROWS: typeof DELAY_ROWS = [
  ['changes after an outage', CHANGES.afterOutage],
  ['all after the deposit, troubles included', CHANGES.afterDeposit],
];

/** The table for people after a run. */
export function tableOf(run: Run): string {
  const { paybell, fixed } = run;
  const head: Row = ['detection delay, mean / p50 / p99', 'Paybell', 'fixed 7-s poller'];
  const delays = DELAY_ROWS.map(([what, isMeant]): Row => [
    `  ${what}`,
    published(delaysOf(paybell, isMeant)),
    published(delaysOf(fixed, isMeant)),
  ]);
  const troubled = TROUBLED_ROWS.map(([what, isMeant]): Row => [
    `  ${what}`,
    published(allDelaysOf(paybell, isMeant)),
    published(allDelaysOf(fixed, isMeant)),
  ]);
  const tables = [aligned([head, ...delays, ...troubled]), aligned(costRows(run))];
  return [titleOf(run), ...tables, aims(run), invariants(run)].join('\n\n');
}

function titleOf({ options, lives, troubles }: Run): string {
  const { open, rpm, minutes, seed } = options;
  const count = lives.length.toLocaleString('en-US');
  const kept = open > 0 ? `, ${open} open at any time` : '';
  const limit = rpm > 0 ? `${rpm} requests a minute` : 'no limit';
  const calm = troubles.length > 0 ? `${troubles.length} troubles` : 'no troubles';
  return `${count} payments in ${minutes} minutes${kept}; ${limit}; ${calm}; seed ${seed}`;
}

function costRows(run: Run): Row[] {
  const { paybell, fixed, lives, refusals, missed, options } = run;
  const perPayment = (requests: number): string => (requests / lives.length).toFixed(2);
  const budget = options.rpm > 0 ? ` of ${options.rpm}` : '';
  const row = (what: string, of: (observations: Observations) => string): Row => [
    what,
    of(paybell),
    of(fixed),
  ];
  return [
    ['requests and changes', '', ''],
    row('  requests a payment until its end', (of) => perPayment(of.requestsUntilEnd)),
    row('  … and after it, for late changes', (of) => perPayment(of.requestsAfterEnd)),
    row(`  busiest minute${budget}`, (of) => String(of.busiestMinute)),
    ['  429 received', String(refusals.paybell), String(refusals.fixed)],
    row('  changes found', foundBy),
    row('  passed between two polls', (of) => String(of.passed)),
    ['  payments whose last change was not found', String(missed.paybell), String(missed.fixed)],
  ];
}

function foundBy({ sightings }: Observations): string {
  const late = sightings.filter(({ isLate }) => isLate).length;
  return `${sightings.length - late} + ${late} late`;
}

function aims(run: Run): string {
  const figures = figuresOf(run);
  if (figures.length === 0) return 'aims: none are set for this kind of run';
  const lines = figures.map(
    ({ what, measured, aim, isReached }) => `  ${isReached ? '✓' : '✗'} ${what}: ${measured}, ${aim}`,
  );
  return ['aims', ...lines].join('\n');
}

function invariants({
  invariants: { longestWaitMs, longestWaitOfAllMs, hottestCatchUp, breaches, breachCount },
}: Run): string {
  const mostMs = 10 * TIMES.pollIntervalMs;
  const lines = [
    `  longest wait of an open payment while the budget allows a round: ${seconds(longestWaitMs)} of ${seconds(mostMs)}`,
    `  longest wait at all, outages and short budgets included: ${seconds(longestWaitOfAllMs)}`,
    `  busiest 10 s after a recovery: ${hottestCatchUp.toFixed(2)} of 1.50 times the usual rate`,
  ];
  const transition = breachCount === 0 ? '  ✓ all kept' : `  ✗ ${breachCount} breaches, the first of them:`;
  return ['invariants', ...lines, transition, ...breaches.map((breach) => `    ${breach}`)].join('\n');
}

function published({ count, meanMs, medianMs, p99Ms }: Delays): string {
  if (count === 0) return 'none';
  return `${[meanMs, medianMs, p99Ms].map(seconds).join(' / ')} (${count})`;
}

export function seconds(ms: number): string {
  if (ms < 100_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  return ms < 7_200_000 ? `${(ms / 60_000).toFixed(1)} min` : `${(ms / 3_600_000).toFixed(1)} h`;
}

function aligned(rows: readonly Row[]): string {
  const width = (column: 0 | 1): number => Math.max(...rows.map((row) => row[column].length)) + 3;
  const [first, second] = [width(0), width(1)];
  return rows
    .map(([what, paybell, fixed]) => `${what.padEnd(first)}${paybell.padEnd(second)}${fixed}`.trimEnd())
    .join('\n');
}
