/** The comparison's headline figures as bars, an SVG for docs/inside/benchmarks.md. */
import { shown } from '../figures.js';
import { mediansOf } from './rows.js';
import { SERVICES } from './services.js';

const COLORS = ['#8c959f', '#0969da', '#bc4c00'];
const PANELS = [
  { scene: 'polls', key: 'rate', title: 'Unchanged polls a second (more is better)', unit: '' },
  {
    scene: 'changes',
    key: 'rate',
    title: 'Changes a second, to webhook and message (more is better)',
    unit: '',
  },
  {
    scene: 'steady',
    key: 'processUs',
    title: 'Processor time a poll, 1,400 a second (less is better)',
    unit: ' µs',
  },
  { scene: 'polls', key: 'residentMb', title: 'Resident memory (less is better)', unit: ' MB' },
];

const WIDTH = 760;
const MARGIN = 24;
const NAMES = 76;
const BARS = 540;
const BAR = 20;
const BAR_STEP = 26;
const TITLE = 24;
const PANEL = TITLE + 3 * BAR_STEP + 18;

/** @param {import('./rows.js').Results} results */
export function pictureOf(results) {
  const panels = PANELS.filter(({ scene }) => results[scene] !== undefined);
  const height = 2 * MARGIN + panels.length * PANEL - 18;
  const body = panels.map((panel, index) =>
    panelOf(panel, mediansOf(results, panel.scene, panel.key), index),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}"`,
    '  font-family="system-ui, sans-serif" font-size="13" role="img" aria-label="Paybell beside a raw loop and a usual service">',
    `  <rect width="${WIDTH}" height="${height}" fill="#ffffff" />`,
    ...body,
    '</svg>',
    '',
  ].join('\n');
}

/** @param {{ title: string, unit: string }} panel @param {number[]} values @param {number} index */
function panelOf({ title, unit }, values, index) {
  const top = MARGIN + index * PANEL;
  const most = Math.max(...values.filter((value) => !Number.isNaN(value)));
  const bars = values.map((value, place) => {
    const y = top + TITLE + place * BAR_STEP;
    const width = Number.isNaN(value) ? 0 : Math.max((value / most) * BARS, 1);
    const textY = y + BAR - 6;
    const right = MARGIN + NAMES + width + 6;
    return [
      `  <text x="${MARGIN}" y="${textY}" fill="#1f2328">${SERVICES[place]?.name}</text>`,
      `  <rect x="${MARGIN + NAMES}" y="${y}" width="${width.toFixed(1)}" height="${BAR}" rx="2" fill="${COLORS[place]}" />`,
      `  <text x="${right.toFixed(1)}" y="${textY}" fill="#1f2328">${shown(value)}${unit}</text>`,
    ].join('\n');
  });
  const heading = `  <text x="${MARGIN}" y="${top + 12}" font-weight="600" fill="#1f2328">${title}</text>`;
  return [heading, ...bars].join('\n');
}
