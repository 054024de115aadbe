import type { Channel } from './channel.ts';
import type { Lives } from './lives.ts';

export type Move = (lives: Lives, address: string, channel: Channel) => void;

const HALF = 2n;

const seen: Move = (lives, address) => lives.see(address);
const paid: Move = (lives, address) => lives.deposit(address);
const swapped: Move = (lives, address) => lives.swap(address);
const sent: Move = (lives, address) => lives.send(address);
const arrived: Move = (lives, address) => lives.witness(address);
const settled: Move = (lives, address) => lives.settle(address);
const missed: Move = (lives, address) => lives.miss(address);
const refunded: Move = (lives, address) => lives.refund(address);
const refundArrived: Move = (lives, address) => lives.witnessRefund(address);
const fallbackSent: Move = (lives, address) => lives.sendFallback(address);
const tiny: Move = (lives, address) => lives.deposit(address, 1n);
const said =
  (change: Record<string, unknown>): Move =>
  (lives, address) =>
    lives.reshape(address, (body) => ({ ...body, ...change }));

/** Whole lives, move by move. */
const STORIES = {
  plain: [seen, paid, swapped, sent, arrived],
  fast: [(lives, address) => (lives.deposit(address), lives.settle(address))],
  'nobody pays': [],
  'without the tracker': [paid, swapped, arrived],
  'seen, then forgotten': [seen, (lives, address) => lives.forget(address), paid, settled],
  'without a reference': [(lives, address) => lives.deposit(address, undefined, false), settled],
  'the price was not met': [paid, missed, refunded, refundArrived],
  'a stall in safe mode': [paid, (lives, address) => lives.miss(address, 'SafeModeActive'), settled],
  'delivered in part, refunded in part': [
    paid,
    (lives, address, { deposits }) => {
      const { output } = deposits.at(-1)?.swap?.terms ?? { output: 0n };
      lives.swap(address, output / HALF);
      lives.refund(address, (deposits.at(-1)?.amount ?? 0n) / HALF);
    },
    arrived,
    refundArrived,
  ],
  'delivered, and the dust of a refund is kept': [
    paid,
    (lives, address) => (lives.swap(address), lives.refund(address, 1n, true)),
    arrived,
  ],
  'below the minimum': [tiny],
  'below the minimum, then a good deposit': [tiny, paid, swapped, arrived],
  'the fees eat it up': [(lives, address) => lives.eatUp(address)],
  'rejected, then refunded': [
    (lives, address) => lives.reject(address),
    (lives, address) => lives.refundRejected(address),
  ],
  'the output is too small': [paid, (lives, address) => lives.keepOutput(address)],
  'aborted, then delivered after all': [paid, swapped, (lives, address) => lives.abort(address), arrived],
  'the recipient could not take it': [
    paid,
    swapped,
    (lives, address) => (lives.witness(address), lives.fallBack(address)),
    fallbackSent,
  ],
  'the fallback comes a poll later': [
    paid,
    swapped,
    arrived,
    (lives, address) => lives.fallBack(address),
    fallbackSent,
  ],
  'over without any egress': [paid, (lives, address) => lives.end(address)],
  short: [
    (lives, address, { expectedAmount }) => lives.deposit(address, (expectedAmount * 9n) / 10n),
    settled,
  ],
  over: [(lives, address, { expectedAmount }) => lives.deposit(address, expectedAmount * HALF), settled],
  'a second deposit on the way': [
    paid,
    swapped,
    paid,
    (lives, address, { deposits }) => lives.witness(address, deposits[0]?.swap ?? undefined),
  ],
  'a second deposit after the end': [paid, settled, paid, settled],
  'swapping for ever': [paid],
  'an unknown word': [paid, said({ state: 'TELEPORTING' })],
  'another transaction than was seen': [paid, swapped, sent, arrived],
  'another recipient in the answer': [paid, settled, said({ destAddress: `0x${'66'.repeat(20)}` })],
  'a time-out of the channel that is not known': [
    (lives, address) =>
      lives.reshape(address, ({ depositChannel, ...body }) => {
        const { estimatedExpiryTime: _estimate, ...kept } = depositChannel as Record<string, unknown>;
        return { ...body, depositChannel: kept };
      }),
    paid,
    settled,
  ],
  'numbers instead of texts': [
    paid,
    settled,
    (lives, address) =>
      lives.reshape(address, ({ swapEgress, ...body }) => ({
        ...body,
        swapEgress: { ...(swapEgress as object), amount: 24_931_022 },
      })),
  ],
} satisfies Record<string, readonly Move[]>;

export type Story = keyof typeof STORIES;

export function movesOf(story: Story): readonly Move[] {
  return STORIES[story];
}
