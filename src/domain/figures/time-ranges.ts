/** Figures are kept by the minute, and summed up by the hour as well. */
export const FIGURE_LENGTHS = ['minute', 'hour'] as const;
export type FigureLength = (typeof FIGURE_LENGTHS)[number];

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
/** How long figures are kept. */
export const FIGURES_KEPT_MS = 14 * 24 * HOUR_MS;

/** A range of time, its end excluded, in milliseconds since 1970. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

export interface FigureRange extends TimeRange {
  readonly length: FigureLength;
}

/** Cuts the range to whole steps, counted from 1970: days begin at midnight UTC. */
export function wholeSteps({ from, to }: TimeRange, stepMs: number): TimeRange {
  return { from: Math.floor(from / stepMs) * stepMs, to: Math.ceil(to / stepMs) * stepMs };
}

/**
 * Returns the parts to add up for a whole range: hours where they fit, minutes before and after, so that two weeks are 336
 * parts.
 */
export function rangesOf({ from, to }: TimeRange): FigureRange[] {
  const firstHour = Math.ceil(from / HOUR_MS) * HOUR_MS;
  const lastHour = Math.floor(to / HOUR_MS) * HOUR_MS;
  if (firstHour >= lastHour) return [{ length: 'minute', from, to }];
  const ranges: FigureRange[] = [
    { length: 'minute', from, to: firstHour },
    { length: 'hour', from: firstHour, to: lastHour },
    { length: 'minute', from: lastHour, to },
  ];
  return ranges.filter((range) => range.from < range.to);
}
