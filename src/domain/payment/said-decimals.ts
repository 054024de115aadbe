const MAX_DECIMALS = 255;

/** The fraction digits of one token, by the names of the providers that state them. */
export type SaidDecimals = ReadonlyMap<string, number>;

/** Whether two providers contradict each other. A token has one number of fraction digits. */
export function isDisputed(said: SaidDecimals): boolean {
  return new Set(said.values()).size > 1;
}

/**
 * The number that counts: the contract's own, else the one that more than half of the providers state; null: nothing decides.
 */
export function decideDecimals(said: SaidDecimals, contract: number | null): number | null {
  if (contract !== null) return contract;
  const numbers = [...said.values()];
  const majority = numbers.find(
    (each) => numbers.filter((other) => other === each).length * 2 > numbers.length,
  );
  return majority ?? null;
}

/** Whether a provider's value is a number of fraction digits: 0 to 255. */
export function isDecimals(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_DECIMALS;
}
