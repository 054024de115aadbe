import { shownAmounts, type Amounts } from '../../domain/payment/amounts.ts';
import { completedOutput } from '../../domain/payment/completed-output.ts';
import { isRecord } from '../../domain/payment/reading.ts';
import { readRoute, type Route, type RouteEnd } from '../../domain/payment/route.ts';
import { csvLine } from '../../domain/text/csv-line.ts';
import type { StoredPayment } from '../../ports/payments.ts';

/**
 * Without this mark, Excel reads a file in the system's own code page and garbles letters; LibreOffice understands the mark
 * too.
 */
const BYTE_ORDER_MARK = '\uFEFF';
/** Bounds the cell for a provider that reports ever more transactions. */
const MAX_TRANSACTIONS = 20;
const HASH_NAME = /(?:hash|txid)$/i;

type Cell = string | number | boolean | Date | null;

/** The columns in order, each with the function for its cell. */
const COLUMNS: Readonly<
  Record<string, (payment: StoredPayment, route: Route, amounts: Amounts | null) => Cell>
> = {
  quoteId: ({ quoteId }) => quoteId,
  orderId: ({ orderId }) => orderId,
  status: ({ status }) => status,
  late: ({ late }) => late,
  tracking: ({ tracking }) => tracking,
  provider: ({ provider }) => provider,
  createdAt: ({ createdAt }) => createdAt,
  expiresAt: ({ expiresAt }) => expiresAt,
  updatedAt: ({ updatedAt }) => updatedAt,
  originChain: (_payment, { origin }) => chainOf(origin),
  originToken: (_payment, { origin }) => tokenOf(origin),
  originAmount: (_payment, { origin }) => origin.amount,
  destinationChain: (_payment, { destination }) => chainOf(destination),
  destinationToken: (_payment, { destination }) => tokenOf(destination),
  destinationAmount: (_payment, { destination }) => destination.amount,
  depositAddress: (_payment, { depositAddress }) => depositAddress,
  recipient: (_payment, { recipient }) => recipient,
  transactions: ({ reportText }) => transactionsIn(reportText).join(' '),
  sequence: ({ sequence }) => sequence,
  resolution: ({ resolution }) => (resolution === null ? null : JSON.stringify(resolution)),
  metadata: ({ metadata }) => (metadata === null ? null : JSON.stringify(metadata)),
  verification: ({ verification }) => verification?.state ?? null,
  completedBy: ({ status, reportText }) =>
    status === 'COMPLETED' ? (completedOutput(reportText)?.by ?? null) : null,
  amountAsked: (_payment, _route, amounts) => amounts?.send.asked ?? null,
  amountCame: (_payment, _route, amounts) => amounts?.send.came ?? null,
  amountPromised: (_payment, _route, amounts) => amounts?.receive.promised ?? null,
  amountArrived: (_payment, _route, amounts) => amounts?.receive.arrived ?? null,
  match: ({ match }) => match,
};

/** The beginning of every file: the names of the columns. */
export const CSV_HEADER = `${BYTE_ORDER_MARK}${csvLine(Object.keys(COLUMNS))}`;

export function csvLineOf(payment: StoredPayment): string {
  const [route, amounts] = [readRoute(payment), shownAmounts(payment, payment.reportText)];
  return csvLine(Object.values(COLUMNS).map((cell) => textOf(cell(payment, route, amounts))));
}

function textOf(cell: Cell): string {
  return cell instanceof Date ? cell.toISOString() : String(cell ?? '');
}

function chainOf({ chainId, chainName }: RouteEnd): string | null {
  return chainName ?? chainId;
}

function tokenOf({ token, symbol }: RouteEnd): string | null {
  return symbol ?? token;
}

/**
 * The specification names one hash in deposit and execution, `outputTxHash`; other hashes are found by the endings of their
 * names.
 */
function transactionsIn(reportText: string | null): string[] {
  const found = new Set<string>();
  const report: unknown = reportText === null ? null : JSON.parse(reportText);
  const left = isRecord(report) ? [report['deposit'], report['execution']] : [];
  while (left.length > 0 && found.size < MAX_TRANSACTIONS) {
    const value = left.shift();
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === 'string' && inner !== '' && HASH_NAME.test(name)) found.add(inner);
      else left.push(inner);
    }
  }
  return [...found];
}
