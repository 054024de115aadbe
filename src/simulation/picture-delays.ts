import type { Status } from '../domain/payment/status.ts';
import { CHANGES, delaysOf } from './delays.ts';
import type { Observations } from './observations.ts';
import type { Run } from './run.ts';
import { COLOUR, line, path, text, type Point } from './svg.ts';

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
}

interface Scale {
  readonly ticks: readonly number[];
  /** Where a delay lies between the left edge, 0, and the right one, 1. */
  at(delayMs: number): number;
}

const STATUSES: readonly Status[] = ['DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED', 'FAILED', 'EXPIRED'];
const ROW_HEIGHT = 84;
const HALF_HEIGHT = 33;
const BINS = 120;
/** How far a delay is smeared, in bins: few delays would make a comb. */
const SMEAR = [0.06, 0.24, 0.4, 0.24, 0.06] as const;
const LINEAR_UP_TO_MS = 12_000;
const LOG_FROM_MS = 500;
const SECOND_MS = 1_000;

export const DELAYS_HEIGHT = STATUSES.length * ROW_HEIGHT;

/** One row for each status: Paybell's delays above the line, the fixed poller's below it. */
export function delayRows({ paybell, fixed }: Run, box: Box): string {
  const rows = STATUSES.map((status) => [delaysTo(paybell, status), delaysTo(fixed, status)] as const);
  const longestMs = Math.max(
    ...[paybell, fixed].flatMap((of) =>
      STATUSES.map((status) => delaysOf(of, CHANGES.to(status)).p99Ms || 0),
    ),
  );
  const scale =
    longestMs < LINEAR_UP_TO_MS ? linear(Math.max(longestMs * 1.1, SECOND_MS)) : logarithmic(longestMs * 2);
  const drawn = STATUSES.map((status, index) => {
    const middle = box.top + (index + 0.5) * ROW_HEIGHT;
    return row(status, rows[index] as readonly [number[], number[]], { ...box, top: middle }, scale);
  });
  return [ticks(scale, box), ...drawn].join('\n');
}

function delaysTo({ sightings }: Observations, status: Status): number[] {
  const isMeant = CHANGES.to(status);
  return sightings.filter((each) => !each.isTroubled && isMeant(each)).map(({ delayMs }) => delayMs);
}

function row(
  status: Status,
  [paybell, fixed]: readonly [number[], number[]],
  box: Box,
  scale: Scale,
): string {
  const { left, right, top } = box;
  const shapes = [density(paybell, scale), density(fixed, scale)] as const;
  const highest = Math.max(...shapes.flat(), Number.EPSILON);
  const outline = (shape: readonly number[], direction: 1 | -1): Point[] => [
    { x: left, y: top },
    ...shape.map((share, bin) => ({
      x: left + ((bin + 0.5) / BINS) * (right - left),
      y: top + (direction * share * HALF_HEIGHT) / highest,
    })),
    { x: right, y: top },
  ];
  return [
    path(outline(shapes[0], -1), `fill="${COLOUR.paybell}" fill-opacity="0.85"`),
    path(outline(shapes[1], 1), `fill="${COLOUR.fixed}" fill-opacity="0.7"`),
    line({ x: left, y: top }, { x: right, y: top }, COLOUR.ink, 'stroke-width="0.8"'),
    text({ x: left - 16, y: top + 4 }, status, `fill="${COLOUR.ink}" font-size="13" text-anchor="end"`),
    mean(paybell, box, scale, -1, COLOUR.paybellInk),
    mean(fixed, box, scale, 1, COLOUR.fixedInk),
  ].join('\n');
}

/** A short line at the mean, and its value beside the row. */
function mean(
  delays: readonly number[],
  { left, right, top }: Box,
  scale: Scale,
  direction: 1 | -1,
  colour: string,
): string {
  if (delays.length === 0) return '';
  const meanMs = delays.reduce((sum, delayMs) => sum + delayMs, 0) / delays.length;
  const x = left + scale.at(meanMs) * (right - left);
  const label = `${(meanMs / SECOND_MS).toFixed(meanMs < 10 * SECOND_MS ? 2 : 1)} s`;
  const style = `fill="${colour}" font-size="14" font-weight="600" text-anchor="end"`;
  return [
    line({ x, y: top }, { x, y: top + direction * HALF_HEIGHT }, colour, 'stroke-width="2"'),
    text({ x: right + 76, y: top + (direction < 0 ? -8 : 19) }, label, style),
  ].join('\n');
}

function ticks(scale: Scale, { left, right, top }: Box): string {
  const bottom = top + DELAYS_HEIGHT;
  return scale.ticks
    .map((tickMs) => {
      const x = left + scale.at(tickMs) * (right - left);
      const style = `fill="${COLOUR.quiet}" font-size="12" text-anchor="middle"`;
      return (
        line({ x, y: top }, { x, y: bottom }, COLOUR.hair) +
        text({ x, y: bottom + 18 }, tickLabel(tickMs), style)
      );
    })
    .join('\n');
}

/** The share of delays in each bin, smeared a little; what is beyond the scale is left out. */
function density(delays: readonly number[], scale: Scale): number[] {
  const bins = Array.from({ length: BINS }, () => 0);
  for (const delayMs of delays) {
    const bin = Math.floor(scale.at(delayMs) * BINS);
    SMEAR.forEach((weight, index) => {
      const to = bin + index - 2;
      if (to >= 0 && to < BINS) bins[to] = (bins[to] ?? 0) + weight / delays.length;
    });
  }
  return bins;
}

function linear(toMs: number): Scale {
  const seconds = Math.floor(toMs / SECOND_MS);
  const all = Array.from({ length: seconds + 1 }, (_, second) => second * SECOND_MS);
  return { ticks: all, at: (delayMs) => delayMs / toMs };
}

function logarithmic(toMs: number): Scale {
  const wanted = [1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000].map((second) => second * SECOND_MS);
  const span = Math.log(toMs / LOG_FROM_MS);
  return {
    ticks: wanted.filter((tickMs) => tickMs < toMs),
    at: (delayMs) => Math.log(Math.max(delayMs, 1) / LOG_FROM_MS) / span,
  };
}

function tickLabel(tickMs: number): string {
  return `${tickMs / SECOND_MS} s`;
}
