import type { RelayStandIn } from '../../../tools/relay-stand-in/relay-stand-in.js';
import type { StandingClock } from '../oneclick-world.ts';
import type { TamperingProxy } from '../tampering-proxy.ts';
import {
  changed,
  transportCases,
  withLaterTimes,
  type Case,
  type Played,
  type ProviderCases,
  type Seen,
} from './cases.ts';

type Json = Record<string, unknown>;

const STATUS = /^\/requests\//;
const QUOTE = /^\/quote\/v2$/;
const EXPIRED_S = 310;
const PAID = 25_500_000n;

export function relayCases(relay: RelayStandIn, clock: StandingClock, proxy: TamperingProxy): ProviderCases {
  const { lives } = relay;
  const lived = (seen: Seen, ...moves: ((address: string) => unknown)[]): Case => ({
    seen,
    play: async ({ quote: { depositAddress }, poll }: Played) => {
      for (const [index, move] of moves.entries()) {
        if (index > 0) await poll();
        move(depositAddress);
      }
    },
  });
  const reshaped = (address: string, status: string, data: Json): unknown =>
    lives.reshape(address, (row) => ({ ...row, status, data: { ...(row['data'] as Json), ...data } }));
  const pay = (address: string): unknown => lives.deposit(address);
  const settle = (address: string): unknown => lives.settle(address);
  const refund = (amount: string): Json => ({
    amount,
    currency: {
      chainId: 8453,
      address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
      symbol: 'USDC',
      decimals: 6,
    },
  });
  return {
    'success without output, all refunded': lived('refunded', pay, (address) =>
      reshaped(address, 'success', { route: null, outTxs: [], refundCurrencyData: refund(PAID.toString()) }),
    ),
    'success without output, nothing refunded': lived('unknownWord', pay, (address) =>
      reshaped(address, 'success', { route: null, outTxs: [] }),
    ),
    'success with an amount and no transaction': lived('byAmount', pay, (address) =>
      lives.fill(address, { hasHashes: false }),
    ),
    'failure beside an output': lived('contradicted', pay, (address) => {
      lives.fill(address);
      reshaped(address, 'failure', {});
    }),
    "deposit's hash for the output's, on another chain": lived('unknownWord', pay, (address) => {
      const { depositTxHash } = relay.row(address)['depositAddress'] as Json;
      const copied = { txHash: depositTxHash, chainId: 42161, timestamp: 1, status: 'success' };
      reshaped(address, 'success', { route: null, outTxs: [copied] });
    }),
    'success, a part delivered and a part refunded': lived('partly', pay, (address) => {
      lives.fill(address);
      reshaped(address, 'success', { refundCurrencyData: refund('1000000') });
    }),
    'refund after the success': lived('afterCompleted', pay, settle, (address) =>
      reshaped(address, 'refund', { refundCurrencyData: refund(PAID.toString()) }),
    ),
    'refund after the success, which is still said': lived('afterCompleted', pay, settle, (address) =>
      reshaped(address, 'success', { refundCurrencyData: refund('1000000') }),
    ),
    'short deposit': lived(
      'deliveredShort',
      (address) => lives.deposit(address, { amountRaw: PAID / 2n }),
      settle,
    ),
    'too large deposit': lived(
      'overpaid',
      (address) => lives.deposit(address, { amountRaw: PAID * 2n }),
      settle,
    ),
    'several deposits': lived('completed', pay, settle, pay),
    'deposit after the deadline': lived('lateCompleted', () => clock.pass(EXPIRED_S), pay, settle),
    'deposit that the provider does not see': lived('hintRefused', (address) => {
      lives.deposit(address, { unseen: true });
      clock.pass(EXPIRED_S);
    }),
    memo: { cannot: 'its addresses have none' },
    'deposit address of another quote': {
      seen: 'notShown',
      before: ({ depositAddress }) =>
        proxy.set((answer, path) =>
          QUOTE.test(path) ? { ...answer, body: withAddress(answer.body, depositAddress) } : answer,
        ),
    },
    'other deposit address in a status': lived('otherAddress', pay, (address) =>
      lives.reshape(address, (row) => ({
        ...row,
        depositAddress: { ...(row['depositAddress'] as Json), address: `0x${'66'.repeat(20)}` },
      })),
    ),
    'bad signature of a quote': { cannot: 'it signs none; who is paid is checked in the quote' },
    'quote that differs from its request': {
      seen: 'notShown',
      before: () =>
        proxy.set(
          changed(QUOTE, (body) => ({
            ...body,
            details: { ...(body['details'] as Json), recipient: `0x${'66'.repeat(20)}` },
          })),
        ),
    },
    'unknown word': lived('unknownWord', pay, (address) => lives.say(address, 'teleported')),
    'known word in small letters': { cannot: 'all its words are in small letters' },
    'times that change at each answer': {
      seen: 'timesAlone',
      play: async ({ quote: { depositAddress }, poll }) => {
        lives.deposit(depositAddress);
        await poll();
        lives.submit(depositAddress);
        proxy.set(withLaterTimes(STATUS, /^(?:updatedAt|timestamp)$/));
      },
    },
    'one bad answer among several payments': {
      seen: 'othersGoOn',
      play: async ({ quote, poll }) => {
        lives.deposit(quote.depositAddress);
        await poll();
        const isOf = ({ depositAddress }: Json): boolean =>
          String((depositAddress as Json)['address']).toLowerCase() === quote.depositAddress.toLowerCase();
        const bad = (row: Json): Json | null => (isOf(row) ? null : row);
        proxy.set(changed(STATUS, (body) => ({ ...body, requests: (body['requests'] as Json[]).map(bad) })));
      },
    },
    ...transportCases(STATUS, (tamper) => proxy.set(tamper)),
    'number instead of a string': lived('amountUnknown', pay, (address) =>
      lives.reshape(address, (row) => numbered(row) as Json),
    ),
    'null instead of a list': {
      seen: 'askedAgain',
      play: () => proxy.set(changed(STATUS, (body) => ({ ...body, requests: null }))),
    },
  };
}

/** Replaces the quote's deposit address with another one wherever it occurs. */
function withAddress(body: string, address: string): string {
  const { steps } = JSON.parse(body) as { steps: { depositAddress: string }[] };
  const own = steps[0]?.depositAddress ?? '';
  return body.replaceAll(new RegExp(own.slice(2), 'gi'), address.slice(2));
}

/** Every amount as a number. */
function numbered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(numbered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      name === 'amount' && typeof part === 'string' ? Number(part) : numbered(part),
    ]),
  );
}
