/** The rows of the comparison: the figures of each scene, and their form. */
import { median, shown } from '../figures.js';
import { SERVICES } from './services.js';
import { SCENES } from './scenes.js';

/**
 * @typedef {Record<string, Record<string, import('./scenes.js').Measured[]>>} Results by scene and service, a value a round
 * @typedef {{ label: string, key: string, unit?: string }} Row
 */

/** @param {string} each @returns {Row[]} */
const costsOf = (each) => [
  { label: `… processor time ${each}`, key: 'processUs', unit: 'µs' },
  { label: `… PostgreSQL's processor time ${each}`, key: 'postgresUs', unit: 'µs' },
  { label: `… statements ${each}`, key: 'statements' },
  { label: `… commits ${each}`, key: 'commits' },
  { label: `… row writes ${each}`, key: 'written' },
  { label: `… WAL ${each}`, key: 'wal', unit: 'B' },
];
/** @type {Row[]} */
const MEMORY = [
  { label: '… resident memory', key: 'residentMb', unit: 'MB' },
  { label: '… the most it ever was', key: 'peakMb', unit: 'MB' },
];

const count = (/** @type {string} */ scene) => shown(SCENES[scene]?.payments ?? 0);

/** @type {Record<string, () => Row[]>} */
const ROWS = {
  polls: () => [
    { label: `**unchanged polls a second**, ${count('polls')} open, answers at once`, key: 'rate' },
    ...costsOf('a poll'),
    ...MEMORY,
  ],
  changes: () => [
    {
      label: `**changes a second**, ${count('changes')} payments, through to webhook and confirmed message`,
      key: 'rate',
    },
    { label: '… answer to webhook, p99', key: 'latencyP99Ms', unit: 'ms' },
    ...costsOf('a change'),
    ...MEMORY,
  ],
  steady: () => [
    { label: `**processor time a poll**, ${count('steady')} open at 7 s`, key: 'processUs', unit: 'µs' },
    ...costsOf('a poll').slice(1),
    { label: '… polls a second', key: 'rate' },
    ...MEMORY,
  ],
  hold: () => [
    {
      label: `**gap between two polls, p99**, ${count('hold')} open at 7 s, answers after 40 ms ± 50 %, 100 changes a second`,
      key: 'gapP99S',
      unit: 's',
    },
    { label: '… polls a second', key: 'rate' },
    { label: '… cores', key: 'cores' },
    { label: '… answer to webhook, p99', key: 'latencyP99Ms', unit: 'ms' },
    ...costsOf('a poll'),
    ...MEMORY,
  ],
};

/** The rows for the docs; a run prints all rows. */
const BRIEF = new Set([
  'rate',
  'gapP99S',
  'latencyP99Ms',
  'processUs',
  'postgresUs',
  'statements',
  'residentMb',
]);

const SPREAD = / \([\d.,]+–[\d.,]+\)$/;

const HEAD = ['', ...SERVICES.map(({ name }) => name), 'Paybell ÷ raw loop', 'Paybell ÷ usual'];

/** All rows with the spread of the rounds. @param {Results} results */
export function rowsOf(results) {
  return [HEAD, ...allRows(results).map(({ row, scene }) => rowOf(results, scene, row))];
}

/** The rows for the docs, medians only, without the ratios that follow from them. @param {Results} results */
export function briefRowsOf(results) {
  const rows = allRows(results).filter(({ row }) => BRIEF.has(row.key));
  const all = [HEAD, ...rows.map(({ row, scene }) => rowOf(results, scene, row))];
  return all.map((cells) => cells.slice(0, SERVICES.length + 1).map((cell) => cell.replace(SPREAD, '')));
}

/** @param {Results} results */
function allRows(results) {
  return Object.keys(results).flatMap((scene) => (ROWS[scene]?.() ?? []).map((row) => ({ row, scene })));
}

/** The median of the rounds, by service. @param {Results} results @param {string} scene @param {string} key */
export function mediansOf(results, scene, key) {
  return SERVICES.map(({ name }) => median(valuesOf(results, scene, name, key)));
}

/** @param {Results} results @param {string} scene @param {Row} row */
function rowOf(results, scene, { label, key, unit }) {
  const [raw = Number.NaN, paybell = Number.NaN, usual = Number.NaN] = mediansOf(results, scene, key);
  const cells = SERVICES.map(({ name }) =>
    cellOf(valuesOf(results, scene, name, key), unit, isStarved(name)),
  );
  return [label, ...cells, shown(paybell / raw), shown(paybell / usual)];

  function isStarved(/** @type {string} */ name) {
    return key === 'rate' && valuesOf(results, scene, name, 'isStarved').some((value) => value === 1);
  }
}

/** @param {Results} results @param {string} scene @param {string} name @param {string} key */
function valuesOf(results, scene, name, key) {
  return (results[scene]?.[name] ?? []).map((measured) => measured[key] ?? Number.NaN);
}

/** The median, and the lowest and the highest round. A service that had too little load could have done more. */
function cellOf(
  /** @type {number[]} */ values,
  /** @type {string | undefined} */ unit,
  /** @type {boolean} */ isStarved,
) {
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  if (Number.isNaN(median(values))) return shown(Number.NaN);
  const spread = values.length > 1 ? ` (${shown(lowest)}–${shown(highest)})` : '';
  return `${isStarved ? '≥ ' : ''}${shown(median(values))}${unit === undefined ? '' : ` ${unit}`}${spread}`;
}
