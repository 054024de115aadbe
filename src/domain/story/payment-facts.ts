/** The facts of a payment's quote and report. Both are the provider's and unchecked: each field may be missing. */
export interface PaymentFacts {
  readonly amount: string | null;
  readonly symbol: string | null;
  /** The deposit is another token than the quote asks for. */
  readonly isOtherToken: boolean;
  readonly fromChain: Chain | null;
  readonly toChain: Chain | null;
  readonly depositAddress: string | null;
  /** Part of the deposit address on some chains. */
  readonly depositMemo: string | null;
  readonly recipient: string | null;
  readonly estimatedAmount: string | null;
  readonly estimatedSymbol: string | null;
  readonly feesUsd: string | null;
  readonly depositTransaction: string | null;
  readonly depositFrom: string | null;
  readonly outputTransaction: string | null;
  readonly detectedAt: number | null;
  readonly startedAt: number | null;
  readonly completedAt: number | null;
  /** The amount that went back to the payer. */
  readonly refundedAmount: string | null;
  /** The provider holds the deposit for a review. */
  readonly isHeld: boolean;
  readonly error: string | null;
}

export interface Chain {
  readonly id: number | null;
  readonly name: string;
}

interface Texts {
  readonly quote: unknown;
  readonly report: unknown;
}

export function factsOf({ quote, report }: Texts): PaymentFacts {
  return {
    amount: word(at(quote, 'send', 'amount')) ?? word(at(report, 'deposit', 'amount')),
    symbol: word(at(quote, 'send', 'token', 'symbol')),
    isOtherToken: isOther(word(at(report, 'deposit', 'token')), at(quote, 'send', 'token')),
    fromChain: chainOf(at(quote, 'send', 'chain')) ?? placeOf(at(report, 'route', 'from')),
    toChain: chainOf(at(quote, 'receive', 'chain')) ?? placeOf(at(report, 'route', 'to')),
    depositAddress: word(at(quote, 'send', 'depositAddress')) ?? word(at(report, 'depositAddress')),
    depositMemo: word(at(quote, 'send', 'depositMemo')) ?? word(at(report, 'depositMemo')),
    recipient: word(at(quote, 'recipient')) ?? word(at(report, 'route', 'recipient')),
    estimatedAmount: word(at(quote, 'receive', 'estimatedAmount')),
    estimatedSymbol: word(at(quote, 'receive', 'token', 'symbol')),
    feesUsd: word(at(quote, 'fees', 'totalUsd')),
    depositTransaction: word(at(report, 'deposit', 'txHash')),
    depositFrom: word(at(report, 'deposit', 'from')),
    outputTransaction: word(at(report, 'execution', 'outputTxHash')),
    detectedAt: seconds(at(report, 'deposit', 'detectedAt')),
    startedAt: seconds(at(report, 'execution', 'startedAt')),
    completedAt: seconds(at(report, 'execution', 'completedAt')),
    refundedAmount: word(at(report, 'execution', 'refund', 'amount')),
    isHeld: at(report, 'deposit', 'heldForReview') === true,
    error: word(at(report, 'error')),
  };
}

/** Whether a completion that the provider has reported waits for its proof. */
export function isWithheld(payment: { readonly status: string; readonly verification: unknown }): boolean {
  return payment.verification !== null && payment.status !== 'COMPLETED';
}

/** `Base → Solana`; null when neither end is known. */
export function routeOf({ fromChain, toChain }: PaymentFacts): string | null {
  if (fromChain === null && toChain === null) return null;
  return `${fromChain?.name ?? '?'} → ${toChain?.name ?? '?'}`;
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function word(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

function isOther(paid: string | null, token: unknown): boolean {
  const asked = [word(at(token, 'address')), word(at(token, 'symbol'))].map((name) => name?.toLowerCase());
  return paid !== null && token !== undefined && !asked.includes(paid.toLowerCase());
}

/** Unix seconds to milliseconds. */
function seconds(value: unknown): number | null {
  return typeof value === 'number' && value > 0 ? value * 1_000 : null;
}

function chainOf(value: unknown): Chain | null {
  const name = word(at(value, 'name'));
  return name === null ? null : { id: numberOf(at(value, 'id')), name };
}

function placeOf(value: unknown): Chain | null {
  const name = word(at(value, 'chainName'));
  return name === null ? null : { id: numberOf(at(value, 'chainId')), name };
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
