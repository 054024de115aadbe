import { readRoute, type Route, type RouteEnd } from '../../domain/payment/route.ts';
import type { Schemas } from '../api/api-client.ts';
import { factsOf, tableOf } from '../output/table.ts';

type Payment = Schemas['PaymentAnswer'];
type Verification = NonNullable<Payment['verification']>;
type Amounts = NonNullable<Payment['amounts']>;

export function paymentFacts(payment: Payment, texts: Parameters<typeof readRoute>[0]): string {
  const { resolution } = payment;
  const route = readRoute(texts);
  return factsOf([
    ['quote id', payment.quoteId],
    ['provider', payment.provider],
    ['order', payment.orderId],
    ['metadata', payment.metadata === null ? null : JSON.stringify(payment.metadata)],
    ['status', `${payment.status}${payment.late ? ' (late)' : ''}`],
    ['amount', amountOf(route)],
    ['route', routeOf(route)],
    ['deposit to', [route.depositAddress, route.depositMemo].filter((word) => word !== null).join(' memo ')],
    ['recipient', route.recipient],
    ['tracking', payment.tracking],
    ['created', payment.createdAt],
    ['expires', payment.expiresAt],
    ['updated', payment.updatedAt],
    ['last polled', payment.lastPolledAt],
    ['next poll', payment.nextPollAt],
    ['sum', payment.amounts === null ? null : sumOf(payment.amounts)],
    ['proof', payment.verification === null ? null : proofOf(payment.verification)],
    ['resolved', resolution === null ? null : `${resolution.reason} by ${resolution.by}`],
  ]);
}

/** `25.42 USDC for 0.0081 ETH` */
function amountOf({ origin, destination }: Route): string | null {
  if (origin.amount === null) return null;
  const sends = sumIn(origin);
  return destination.amount === null ? sends : `${sends} for ${sumIn(destination)}`;
}

function sumIn({ amount, symbol, token }: RouteEnd): string {
  return [amount, symbol ?? token].filter((word) => word !== null).join(' ');
}

/** `Base to Arbitrum One`; null where neither end is known. */
function routeOf({ origin, destination }: Route): string | null {
  const ends = [origin, destination].map(({ chainName, chainId }) => chainName ?? chainId);
  return ends.every((end) => end === null) ? null : ends.map((end) => end ?? 'unknown').join(' to ');
}

/** `underpaid: 1.00 of 25.42 came, 24.9 arrived` */
function sumOf({ send, receive, match }: Amounts): string {
  const came = send.came === null ? [] : [`${send.came} of ${send.asked ?? 'an unknown sum'} came`];
  const arrived = receive.arrived === null ? [] : [`${receive.arrived} arrived`];
  const sums = [...came, ...arrived].join(', ');
  return sums === '' ? match : `${match}: ${sums}`;
}

/** `proven on chain 8453 by 0x5a… in block 19000000; answers from rpc.example` */
function proofOf({ state, chainId, txHash, block, sources }: Verification): string {
  const words = [
    state,
    chainId === null ? null : `on chain ${chainId}`,
    txHash === null ? null : `by ${txHash}`,
    block === null ? null : `in block ${block}`,
  ];
  const said = words.filter((word) => word !== null).join(' ');
  return sources.length === 0 ? said : `${said}; answers from ${sources.join(', ')}`;
}

export function checkTable({ checks }: Verification): string {
  return tableOf(
    ['CHECK', 'RESULT', 'WHY'],
    checks.map(({ name, passed, detail }) => [
      name,
      passed === null ? 'unknown' : passed ? 'ok' : 'no',
      detail,
    ]),
  );
}
