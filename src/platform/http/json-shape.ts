import { exceededBound } from '../../domain/text/json-bounds.ts';

/** No valid request has a tenth of these values. */
const BOUNDS = { depth: 32, values: 10_000 };
const FAULTS = {
  depth: `must not be nested deeper than ${BOUNDS.depth}`,
  values: `must not have more than ${BOUNDS.values} values`,
};

/**
 * The fault of a body that is nested too deeply or has too many values; null when there is none. Checked before the body
 * is parsed: a short text of many empty arrays takes long to parse and to walk.
 */
export function shapeFault(json: Uint8Array): string | null {
  const exceeded = exceededBound(json, BOUNDS);
  return exceeded === null ? null : FAULTS[exceeded];
}
