import { exceededBound } from '../../domain/text/json-bounds.ts';

/** Nothing that is asked for here has a tenth of the values. */
const BOUNDS = { depth: 32, values: 10_000 };
const FAULTS = {
  depth: `must not be nested deeper than ${BOUNDS.depth}`,
  values: `must not have more than ${BOUNDS.values} values`,
};

/**
 * What is wrong with a body that is nested too deeply or has too many values; null when nothing is. Asked before it is
 * parsed: a short text of many empty arrays takes long to parse and to walk.
 */
export function shapeFault(json: Uint8Array): string | null {
  const exceeded = exceededBound(json, BOUNDS);
  return exceeded === null ? null : FAULTS[exceeded];
}
