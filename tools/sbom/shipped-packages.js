import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const IMPORT = /^(?:import|export)\s(?:[^'"]*\sfrom\s)?['"]([^.'"][^'"]*)['"]/gm;

/**
 * @typedef {{ version: string, license?: string, dev?: boolean, link?: boolean, dependencies?: Record<string, string>,
 *   optionalDependencies?: Record<string, string> }} Locked
 */

/**
 * The packages of others in a release, by their place in package-lock.json: the service's dependencies, and the packages in
 * the bundle of the dashboard, which package.json lists for development only.
 * @returns {Map<string, Locked>}
 */
export function shippedPackages() {
  /** @type {Record<string, Locked>} */
  const locked = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages;
  const service = Object.keys(locked).filter(
    (place) => place.startsWith('node_modules/') && !locked[place]?.dev && !locked[place]?.link,
  );
  const found = new Set(service);
  for (const name of dashboardImports()) addWithDependencies(locked, `node_modules/${name}`, found);
  return new Map([...found].toSorted().map((place) => [place, /** @type {Locked} */ (locked[place])]));
}

/** The packages that the sources of the pages import. */
function dashboardImports() {
  const files = readdirSync(join(ROOT, 'web/src'), { recursive: true, encoding: 'utf8' });
  const names = files
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => [...readFileSync(join(ROOT, 'web/src', file), 'utf8').matchAll(IMPORT)])
    .map(([, specifier = '']) =>
      specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/'),
    );
  return new Set(names);
}

/**
 * @param {Record<string, Locked>} locked
 * @param {string} place
 * @param {Set<string>} found
 */
function addWithDependencies(locked, place, found) {
  const entry = locked[place];
  if (entry === undefined || entry.link || found.has(place)) return;
  found.add(place);
  for (const name of Object.keys({
    ...entry.dependencies,
    ...entry.optionalDependencies,
  }))
    addWithDependencies(locked, nearest(locked, place, name), found);
}

/**
 * Where Node finds a package that another one requires.
 * @param {Record<string, Locked>} locked
 * @param {string} from
 * @param {string} name
 */
function nearest(locked, from, name) {
  for (
    let place = from;
    place.includes('node_modules/');
    place = place.slice(0, place.lastIndexOf('/node_modules/'))
  ) {
    const inside = `${place}/node_modules/${name}`;
    if (inside in locked) return inside;
    if (!place.includes('/node_modules/')) break;
  }
  return `node_modules/${name}`;
}
