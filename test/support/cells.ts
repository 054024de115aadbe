import { ProviderCells, type ProviderCell } from '../../src/ports/provider-cell.ts';

/** Cells of providers, with the parts that a test gives. */
export function cellsOf(...parts: readonly Partial<ProviderCell>[]): ProviderCells {
  return new ProviderCells(parts as ProviderCell[]);
}
