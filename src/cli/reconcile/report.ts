import { csvLine } from '../../domain/text/csv-line.ts';
import { tableOf } from '../output/table.ts';
import type { Comparison } from './compare.ts';

const COLUMNS = [
  'quoteId',
  'orderId',
  'createdAt',
  'status',
  'providerStatus',
  'lastPolledAt',
  'lastEvent',
  'acknowledged',
  'disagreements',
] as const satisfies readonly (keyof Comparison)[];

/** Cells that a spreadsheet would take for a formula are made safe. */
export function asCsv(comparisons: readonly Comparison[]): string {
  const rows = comparisons.map((comparison) =>
    csvLine(COLUMNS.map((column) => [comparison[column] ?? ''].flat().join('; '))),
  );
  return csvLine(COLUMNS) + rows.join('');
}

export function asJson(comparisons: readonly Comparison[], since: string, payments: number): string {
  return `${JSON.stringify({ since, payments, data: comparisons })}\n`;
}

export function asText(comparisons: readonly Comparison[]): string {
  return tableOf(
    ['QUOTE ID', 'ORDER', 'STATUS', 'PROVIDER', 'LAST EVENT', 'DISAGREES'],
    comparisons.map(({ quoteId, orderId, status, providerStatus, lastEvent, disagreements }) => [
      quoteId,
      orderId,
      status,
      providerStatus,
      lastEvent,
      disagreements.join('; '),
    ]),
  );
}
