import {
  numberIn,
  PAYMENT_FIELDS,
  type Payment,
  type Resolution,
  type StoredField,
} from '../../domain/payment/payment.ts';
import type { PartDigests } from '../../domain/payment/report.ts';

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

/** The fields that are stored as text. */
interface AsText {
  readonly metadata: string | null;
  readonly partDigests: string;
  readonly resolution: string | null;
}

/** Each field of a payment has a column of its name in snake case. */
type PaymentColumns = {
  readonly [Field in StoredField as SnakeCase<Field>]: Field extends keyof AsText
    ? AsText[Field]
    : Payment[Field];
};

/** A row of `payment` as the driver reads it, and the epoch in which it was read. */
export type PaymentRow = PaymentColumns & {
  readonly id: string;
  readonly present_epoch: number;
  readonly quote_text: string | null;
};

const COLUMNS = PAYMENT_FIELDS.map((field) => ({
  field,
  column: field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as keyof PaymentColumns,
}));

export const PAYMENT_COLUMNS = COLUMNS.map(({ column }) => column);

/** Selects a PaymentRow from a table or alias `p`. */
export const SELECTED_COLUMNS = `${['id', ...PAYMENT_COLUMNS].map((column) => `p.${column}`).join(', ')},
  (SELECT q.body FROM payment_quote q WHERE q.payment_id = p.id) AS quote_text, (SELECT log_epoch()) AS present_epoch`;

/** The payment with its epoch set to the present one, by which its next events are numbered. */
export function paymentOf(row: PaymentRow): Payment {
  const payment: Partial<Record<keyof Payment, unknown>> = {
    previousSequence: null,
    quoteText: row.quote_text,
  };
  for (const { field, column } of COLUMNS) payment[field] = row[column];
  payment.metadata = metadataOf(row.metadata);
  payment.partDigests = readPartDigests(row.part_digests);
  payment.resolution = resolutionOf(row.resolution);
  return numberIn(row.present_epoch, payment as Payment);
}

/** Returns the values of the columns for a payment. */
export function rowOf(payment: Payment): PaymentColumns {
  const row: Partial<Record<keyof PaymentColumns, unknown>> = {};
  for (const { field, column } of COLUMNS) row[column] = payment[field];
  row.metadata = jsonOf(payment.metadata);
  row.part_digests = writePartDigests(payment.partDigests);
  row.resolution = jsonOf(payment.resolution);
  return row as PaymentColumns;
}

export function metadataOf(text: string | null): Record<string, string> | null {
  return text === null ? null : (JSON.parse(text) as Record<string, string>);
}

export function resolutionOf(text: string | null): Resolution | null {
  return text === null ? null : (JSON.parse(text) as Resolution);
}

function jsonOf(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** The separator is safe: PartDigests are base64, which has no bar. */
export function writePartDigests(digests: PartDigests): string {
  const { deposit, gas, execution, error, address, noiseToldAt, depositTimes, executionTimes } = digests;
  return [deposit, gas, execution, error, address, noiseToldAt || '', depositTimes, executionTimes].join('|');
}

function readPartDigests(text: string): PartDigests {
  const [deposit = '', gas = '', execution = '', error = '', address = '', toldAt = '', ...times] =
    text.split('|');
  const [depositTimes = '', executionTimes = ''] = times;
  const noiseToldAt = Number(toldAt);
  return { deposit, gas, execution, error, address, noiseToldAt, depositTimes, executionTimes };
}
