import { readRoute } from '../../domain/payment/route.ts';
import type { StoredPayment } from '../../ports/payments.ts';
import type { PayerAnswer } from './payer-page.dto.ts';

/** The facts about a payment that a payer is shown: no order, metadata, id or transaction. */
export function payerViewOf(payment: StoredPayment): PayerAnswer {
  const { origin, depositAddress: address, depositMemo: memo } = readRoute(payment);
  const { expiresAt, status, match } = payment;
  return {
    address,
    memo,
    amount: origin.amount,
    token: { symbol: origin.symbol, address: origin.token },
    chain: { id: chainIdOf(origin.chainId), name: origin.chainName },
    expiresAt,
    status,
    match,
  };
}

function chainIdOf(text: string | null): number | null {
  const id = Number(text ?? Number.NaN);
  return Number.isSafeInteger(id) ? id : null;
}
