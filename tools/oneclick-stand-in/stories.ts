import type { Lives } from './lives.ts';
import type { Order } from './order.ts';

export type Move = (lives: Lives, key: string, order: Order) => void;

const HALF = 2n;
const paid: Move = (lives, key) => lives.deposit(key);
const known: Move = (lives, key) => lives.know(key);
const settled: Move = (lives, key) => lives.settle(key);
const half: Move = (lives, key, { terms }) => lives.deposit(key, terms.amountIn / HALF);
const reshaped =
  (change: (body: Record<string, unknown>) => unknown): Move =>
  (lives, key) =>
    lives.reshape(key, change);
const details = (change: Record<string, unknown>): Move =>
  reshaped((body) => ({ ...body, swapDetails: { ...(body['swapDetails'] as object), ...change } }));

/** Whole lives, move by move. */
const STORIES = {
  plain: [known, paid, settled],
  fast: [(lives, key) => (lives.deposit(key), lives.settle(key))],
  'nobody pays': [],
  'short, then refunded': [half, settled],
  'short, then topped up': [
    half,
    (lives, key, { terms }) => lives.deposit(key, terms.amountIn / HALF + 1n),
    settled,
  ],
  over: [(lives, key, { terms }) => lives.deposit(key, terms.amountIn * HALF), settled],
  'the price moved': [paid, (lives, key) => lives.refund(key, 'AMOUNT_LESS_THAN_MIN_AMOUNT_OUT')],
  'success without output, refunded': [
    paid,
    (lives, key, { terms }) => lives.succeed(key, { withoutOutput: terms.amountIn - terms.refundFee }),
  ],
  'success without output, nothing refunded': [
    paid,
    (lives, key) => lives.succeed(key, { withoutOutput: 0n }),
  ],
  'success below the least output': [
    paid,
    (lives, key, { terms }) => lives.succeed(key, { outRaw: terms.minAmountOut / HALF }),
  ],
  'success, then a second deposit': [paid, settled, (lives, key) => lives.deposit(key)],
  'processing for ever': [paid],
  'failed, then refunded': [
    paid,
    (lives, key) => lives.fail(key),
    (lives, key) => lives.refund(key, 'UNKNOWN'),
  ],
  'known, then forgotten': [known, (lives, key) => lives.forget(key)],
  'unknown word': [paid, (lives, key) => lives.say(key, 'FAILED_EXECUTION'), settled],
  'fields left out instead of null': [
    reshaped(({ swapDetails, ...body }) => ({ ...body, swapDetails: withoutNulls(swapDetails as object) })),
    paid,
    settled,
  ],
  'no swapDetails': [reshaped(({ swapDetails: _swapDetails, ...body }) => body), paid, settled],
  'numbers instead of texts': [paid, settled, details({ amountOut: 24_931_022 })],
  'null instead of lists': [paid, settled, details({ destinationChainTxHashes: null })],
  'an empty hash': [paid, settled, details({ destinationChainTxHashes: [{ hash: '', explorerUrl: '' }] })],
  'hashes as plain texts': [
    paid,
    settled,
    reshaped((body) => {
      const { destinationChainTxHashes: listed, ...rest } = body['swapDetails'] as Record<
        string,
        { hash: string }[]
      >;
      return { ...body, swapDetails: { ...rest, destinationChainTxHashes: listed?.map(({ hash }) => hash) } };
    }),
  ],
  'another recipient in the echo': [
    paid,
    settled,
    reshaped((body) => {
      const response = body['quoteResponse'] as Record<string, object>;
      const quoteRequest = { ...response['quoteRequest'], recipient: `0x${'66'.repeat(20)}` };
      return { ...body, quoteResponse: { ...response, quoteRequest } };
    }),
  ],
} satisfies Record<string, readonly Move[]>;

export type Story = keyof typeof STORIES;

export function movesOf(story: Story): readonly Move[] {
  return STORIES[story];
}

function withoutNulls(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
