import { fieldsOf, readFields } from './reading.ts';
import { isDecimals } from './said-decimals.ts';

/** A token in a provider's answer; null: the answer has no readable number of fraction digits. */
export interface ListedToken {
  readonly chainId: number;
  readonly address: string;
  readonly decimals: number | null;
}

/** The tokens of the spec's `{success, currencies}`, without those that cannot be told from each other. */
export function tokensIn(text: string): readonly ListedToken[] {
  const { currencies } = readFields(text);
  return Array.isArray(currencies) ? currencies.flatMap((entry) => readListedToken(entry) ?? []) : [];
}

export function readListedToken(entry: unknown): ListedToken | null {
  const { chainId: id, address, decimals } = fieldsOf(entry);
  const chainId = readChainId(id);
  if (chainId === null || typeof address !== 'string') return null;
  return { chainId, address, decimals: isDecimals(decimals) ? decimals : null };
}

export function readChainId(value: unknown): number | null {
  const id = Number(value);
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}
