import { exceededBound } from '../../domain/text/json-bounds.ts';

/** A valid request has less than a tenth of these values. */
const BOUNDS = { depth: 32, values: 10_000 };
/** Hundreds of entries, each with a quote object. */
const LIST_BOUNDS = { ...BOUNDS, values: 50_000 };

/**
 * The fault of a body that is nested too deeply or has too many values; null when there is none. Run before parsing: a short
 * text of many empty arrays takes long to parse and to walk.
 */
export function shapeFault(json: Uint8Array, isList = false): string | null {
  const bounds = isList ? LIST_BOUNDS : BOUNDS;
  const exceeded = exceededBound(json, bounds);
  if (exceeded === null) return null;
  return exceeded === 'depth'
    ? `must not be nested deeper than ${bounds.depth}`
    : `must not have more than ${bounds.values} values`;
}
