import { compileFunction } from 'node:vm';

import { verdictOf, type PaymentEvent } from '../../packages/client/src/index.ts';
import { snippet } from './doc-snippet.ts';

/** A connection of `pg`. */
interface Queries {
  query(
    sql: string,
    values?: unknown[],
  ): Promise<{ readonly rowCount: number | null; readonly rows: unknown[] }>;
}

/** The parts of the docs that a shop copies: tables, statements and a handler. */
export interface DocsShop {
  readonly tables: string;
  readonly statusOfOrder: string;
  readonly onEvent: (event: PaymentEvent, tx: Queries) => Promise<void>;
}

export async function docsShop(): Promise<DocsShop> {
  const sql = (name: string): Promise<string> => snippet('docs/using/receive-webhooks.md', name, 'sql');
  const handler = await snippet('docs/using/money.md', 'verdict');
  const code = handler.replace(/^import .+;$/m, '').replace('export ', 'return ');
  const given = {
    verdictOf,
    KEEP_PAYMENT: await sql('statement for a payment'),
    FULFIL_ORDER: await sql('statement for an order'),
  };
  return {
    tables: await sql('tables of a shop'),
    statusOfOrder: await sql('status of an order'),
    onEvent: compileFunction(code, Object.keys(given))(...Object.values(given)) as DocsShop['onEvent'],
  };
}
