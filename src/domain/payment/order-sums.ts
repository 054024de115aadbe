import { addressKey } from '../chains/address-key.ts';
import { addAmounts } from './amount.ts';
import type { Amounts } from './amounts.ts';
import type { Route, RouteEnd } from './route.ts';

/** A payment to be summed; `amounts` is null before the deposit. */
export interface SummedPayment {
  readonly amounts: Pick<Amounts, 'send' | 'receive'> | null;
  readonly route: Route;
}

interface SummedToken {
  readonly chainId: string | null;
  readonly token: string | null;
  readonly symbol: string | null;
}

/** Exact decimal sums over the payments that state them; null: no payment does. */
export interface OrderSums {
  readonly send: readonly (SummedToken & Omit<Amounts['send'], 'token'>)[];
  readonly receive: readonly (SummedToken & Omit<Amounts['receive'], 'token'>)[];
}

/** Adds up the payments of an order from their deposit on, separately for each token of each chain. Pure. */
export function sumsOf(payments: readonly SummedPayment[]): OrderSums {
  const deposited = payments.flatMap(({ amounts, route }) => (amounts === null ? [] : [{ amounts, route }]));
  return {
    send: perToken(deposited.map(({ amounts, route }) => ({ end: route.origin, sums: amounts.send }))).map(
      ([token, sums]) => ({ ...token, ...added(sums, 'asked', 'came') }),
    ),
    receive: perToken(
      deposited.map(({ amounts, route }) => ({ end: route.destination, sums: amounts.receive })),
    ).map(([token, sums]) => ({ ...token, ...added(sums, 'promised', 'arrived') })),
  };
}

/** Lists tokens in the order of their first payments. */
function perToken<Sums>(
  ends: readonly { readonly end: RouteEnd; readonly sums: Sums }[],
): [token: SummedToken, sums: Sums[]][] {
  const tokens = new Map<string, [SummedToken, Sums[]]>();
  for (const { end, sums } of ends) {
    const { chainId, token, symbol } = end;
    const key = JSON.stringify([chainId, token === null ? symbol : addressKey(token)]);
    const known = tokens.get(key);
    if (known === undefined) tokens.set(key, [{ chainId, token, symbol }, [sums]]);
    else known[1].push(sums);
  }
  return [...tokens.values()];
}

function added<Name extends string>(
  sums: readonly Readonly<Record<Name, string | null>>[],
  ...names: readonly Name[]
): Record<Name, string | null> {
  const entries = names.map((name) => [name, sums.map((sum) => sum[name]).reduce(sumOf, null)]);
  return Object.fromEntries(entries) as Record<Name, string | null>;
}

function sumOf(one: string | null, other: string | null): string | null {
  return one === null || other === null ? (one ?? other) : addAmounts(one, other);
}
