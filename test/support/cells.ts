import { ProviderCells, type ProviderCell } from '../../src/ports/provider-cell.ts';

/** The cell of one provider, with as much of it as a test needs. */
export function cellsOf(parts: Partial<ProviderCell>): ProviderCells {
  return new ProviderCells([parts as ProviderCell]);
}
