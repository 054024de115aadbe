import type { Observations } from './observations.ts';
import type { Run } from './run.ts';
import { COLOUR, line, path, rect, text, type Point } from './svg.ts';

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
}

export const REQUESTS_HEIGHT = 260;
const MINUTE_MS = 60_000;
const HEADROOM = 1.15;
/** A line of more points than this is a blur: several minutes are drawn as their mean. */
const MAX_POINTS = 480;
const HOUR_STEPS = [0.25, 0.5, 1, 2, 3, 6, 12, 24, 48, 96] as const;
const MAX_HOUR_TICKS = 12;

/** Requests a minute of both pollers, against the limit, with the provider's troubles shaded. */
export function requestLines(run: Run, box: Box): string {
  const { paybell, fixed, options, runMs } = run;
  const minutes = Math.ceil(runMs / MINUTE_MS);
  const most = Math.max(
    ...paybell.perMinute.slice(0, minutes),
    ...fixed.perMinute.slice(0, minutes),
    options.rpm,
    1,
  );
  const at = (minute: number, requests: number): Point => ({
    x: box.left + (minute / minutes) * (box.right - box.left),
    y: box.top + REQUESTS_HEIGHT * (1 - requests / (most * HEADROOM)),
  });
  return [
    grid(most, minutes, at),
    troubles(run, box, at),
    curve(fixed, minutes, at, COLOUR.fixed),
    curve(paybell, minutes, at, COLOUR.paybell),
    options.rpm > 0 ? limit(options.rpm, minutes, at) : '',
  ].join('\n');
}

type Place = (minute: number, requests: number) => Point;

function curve({ perMinute }: Observations, minutes: number, at: Place, colour: string): string {
  const step = Math.ceil(minutes / MAX_POINTS);
  const points: Point[] = [];
  for (let from = 0; from < minutes; from += step) {
    const to = Math.min(from + step, minutes);
    const part = Array.from({ length: to - from }, (_, index) => perMinute[from + index] ?? 0);
    points.push(at((from + to) / 2, part.reduce((sum, requests) => sum + requests, 0) / part.length));
  }
  return path(points, `fill="none" stroke="${colour}" stroke-width="1.8" stroke-linejoin="round"`);
}

function limit(rpm: number, minutes: number, at: Place): string {
  const [from, to] = [at(0, rpm), at(minutes, rpm)];
  const style = `fill="${COLOUR.limit}" font-size="12" font-weight="600" text-anchor="end"`;
  return (
    line(from, to, COLOUR.limit, 'stroke-width="1.2" stroke-dasharray="6 4"') +
    text({ x: to.x, y: to.y - 7 }, `limit ${rpm}`, style)
  );
}

function troubles({ troubles: all, runMs }: Run, { top }: Box, at: Place): string {
  return all
    .map(({ label, from, to }) => {
      const start = at(from / MINUTE_MS, 0);
      const end = at(Math.min(to, runMs) / MINUTE_MS, 0);
      const width = Math.max(end.x - start.x, 3);
      const style = `fill="${COLOUR.troubleInk}" font-size="11.5" text-anchor="middle"`;
      const labelAt = { x: start.x + width / 2, y: top - 8 };
      return (
        rect({ x: start.x, y: top }, width, REQUESTS_HEIGHT, `fill="${COLOUR.trouble}" fill-opacity="0.75"`) +
        text(labelAt, label, style)
      );
    })
    .join('\n');
}

function grid(most: number, minutes: number, at: Place): string {
  const step = niceStep(most / 4);
  const counts = Array.from({ length: Math.floor((most * HEADROOM) / step) + 1 }, (_, index) => index * step);
  const rows = counts.map((count) => {
    const from = at(0, count);
    const style = `fill="${COLOUR.quiet}" font-size="12" text-anchor="end"`;
    return (
      line(from, at(minutes, count), COLOUR.hair) +
      text({ x: from.x - 10, y: from.y + 4 }, String(count), style)
    );
  });
  const hours = minutes / 60;
  const every = HOUR_STEPS.find((each) => hours / each <= MAX_HOUR_TICKS) ?? hours;
  const times = Array.from({ length: Math.floor(hours / every) + 1 }, (_, index) => index * every);
  const labels = times.map((hour) => {
    const { x, y } = at(hour * 60, 0);
    const label = every < 1 ? `${hour * 60} min` : `${hour} h`;
    return text({ x, y: y + 18 }, label, `fill="${COLOUR.quiet}" font-size="12" text-anchor="middle"`);
  });
  return [...rows, ...labels].join('\n');
}

function niceStep(about: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(Math.max(about, 1)));
  return ([1, 2, 5, 10].find((factor) => factor * magnitude >= about) ?? 10) * magnitude;
}
