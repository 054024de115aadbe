import { ProviderCells, type ProviderCell } from '../../src/ports/provider-cell.ts';

/** The cells of providers, with as much of each as a test needs. */
export function cellsOf(...parts: readonly Partial<ProviderCell>[]): ProviderCells {
  return new ProviderCells(parts as ProviderCell[]);
}
