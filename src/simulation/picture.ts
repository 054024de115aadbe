import { DELAYS_HEIGHT, delayRows } from './picture-delays.ts';
import { REQUESTS_HEIGHT, requestLines } from './picture-requests.ts';
import type { Run } from './run.ts';
import { COLOUR, rect, text, type Point } from './svg.ts';
import { titleOf } from './table.ts';

const WIDTH = 1_120;
const LEFT = 190;
const RIGHT = WIDTH - 110;
const DELAYS_TOP = 150;
const REQUESTS_TOP = DELAYS_TOP + DELAYS_HEIGHT + 130;
const HEIGHT = REQUESTS_TOP + REQUESTS_HEIGHT + 50;
const FONT =
  'system-ui, -apple-system, &quot;Segoe UI&quot;, Roboto, &quot;Helvetica Neue&quot;, Arial, sans-serif';

/** The picture of a run, an SVG: how soon changes were found, and what was asked for that. */
export function pictureOf(run: Run): string {
  const heading = `fill="${COLOUR.ink}" font-size="16" font-weight="600"`;
  const quiet = `fill="${COLOUR.quiet}" font-size="13"`;
  const parts = [
    rect({ x: 0, y: 0 }, WIDTH, HEIGHT, 'fill="#ffffff"'),
    text(
      { x: 40, y: 46 },
      'How soon a change is found',
      `fill="${COLOUR.ink}" font-size="24" font-weight="700"`,
    ),
    text({ x: 40, y: 72 }, titleOf(run), quiet),
    legend({ x: RIGHT - 210, y: 42 }),
    text({ x: 40, y: DELAYS_TOP - 22 }, 'Delay of the change to', heading),
    text({ x: RIGHT + 76, y: DELAYS_TOP - 22 }, 'mean', `${quiet} text-anchor="end"`),
    delayRows(run, { left: LEFT, right: RIGHT, top: DELAYS_TOP }),
    text({ x: 40, y: REQUESTS_TOP - 42 }, 'Requests a minute', heading),
    requestLines(run, { left: LEFT, right: RIGHT, top: REQUESTS_TOP }),
  ];
  const size = `width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="${FONT}">\n${parts.join('\n')}\n</svg>\n`;
}

function legend({ x, y }: Point): string {
  const label = `fill="${COLOUR.ink}" font-size="13"`;
  return [
    rect({ x, y: y - 10 }, 14, 12, `rx="2" fill="${COLOUR.paybell}"`),
    text({ x: x + 20, y }, 'Paybell', label),
    rect({ x: x + 90, y: y - 10 }, 14, 12, `rx="2" fill="${COLOUR.fixed}"`),
    text({ x: x + 110, y }, 'fixed 7-second poller', label),
  ].join('\n');
}
