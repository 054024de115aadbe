import type { Channel } from './channel.ts';
import type { Lives } from './lives.ts';

/** A move, this many milliseconds after the one before. */
export type Step = readonly [
  afterMs: number,
  move: (lives: Lives, address: string, channel: Channel) => void,
];

const SECOND_MS = 1_000;
const HALF = 2n;

const after = (seconds: number, move: Step[1]): Step => [seconds * SECOND_MS, move];
const seen = after(20, (lives, address) => lives.see(address));
const paid = after(20, (lives, address) => lives.deposit(address));
const swapped = after(12, (lives, address) => lives.swap(address));
const sent = after(6, (lives, address) => lives.send(address));
const arrived = after(30, (lives, address) => lives.witness(address));
const settled = after(30, (lives, address) => lives.settle(address));
const missed = after(6, (lives, address) => lives.miss(address));
const refunded = after(30, (lives, address) => lives.refund(address));
const refundArrived = after(30, (lives, address) => lives.witnessRefund(address));
const fallbackSent = after(30, (lives, address) => lives.sendFallback(address));
const tiny = after(20, (lives, address) => lives.deposit(address, 1n));
const said = (change: Record<string, unknown>): Step =>
  after(1, (lives, address) => lives.reshape(address, (body) => ({ ...body, ...change })));

/** Whole lives, by timers. */
const STORIES = {
  plain: [seen, paid, swapped, sent, arrived],
  fast: [after(20, (lives, address) => (lives.deposit(address), lives.settle(address)))],
  'nobody pays': [],
  'without the tracker': [paid, swapped, arrived],
  'seen, then forgotten': [seen, after(10, (lives, address) => lives.forget(address)), paid, settled],
  'without a reference': [after(20, (lives, address) => lives.deposit(address, undefined, false)), settled],
  'the price was not met': [paid, missed, refunded, refundArrived],
  'a stall in safe mode': [
    paid,
    after(6, (lives, address) => lives.miss(address, 'SafeModeActive')),
    settled,
  ],
  'delivered in part, refunded in part': [
    paid,
    after(12, (lives, address, { deposits }) => {
      const { output } = deposits.at(-1)?.swap?.terms ?? { output: 0n };
      lives.swap(address, output / HALF);
      lives.refund(address, (deposits.at(-1)?.amount ?? 0n) / HALF);
    }),
    arrived,
    refundArrived,
  ],
  'delivered, and the dust of a refund is kept': [
    paid,
    after(12, (lives, address) => (lives.swap(address), lives.refund(address, 1n, true))),
    arrived,
  ],
  'below the minimum': [tiny],
  'below the minimum, then a good deposit': [tiny, paid, swapped, arrived],
  'the fees eat it up': [after(20, (lives, address) => lives.eatUp(address))],
  'rejected, then refunded': [
    after(20, (lives, address) => lives.reject(address)),
    after(60, (lives, address) => lives.refundRejected(address)),
  ],
  'the output is too small': [paid, after(12, (lives, address) => lives.keepOutput(address))],
  'aborted, then delivered after all': [
    paid,
    swapped,
    after(60, (lives, address) => lives.abort(address)),
    arrived,
  ],
  'the recipient could not take it': [
    paid,
    swapped,
    after(30, (lives, address) => (lives.witness(address), lives.fallBack(address))),
    fallbackSent,
  ],
  'the fallback comes a poll later': [
    paid,
    swapped,
    arrived,
    after(6, (lives, address) => lives.fallBack(address)),
    fallbackSent,
  ],
  'over without any egress': [paid, after(30, (lives, address) => lives.end(address))],
  short: [
    after(20, (lives, address, { expectedAmount }) => lives.deposit(address, (expectedAmount * 9n) / 10n)),
    settled,
  ],
  over: [
    after(20, (lives, address, { expectedAmount }) => lives.deposit(address, expectedAmount * HALF)),
    settled,
  ],
  'a second deposit on the way': [
    paid,
    swapped,
    paid,
    after(30, (lives, address, { deposits }) => lives.witness(address, deposits[0]?.swap ?? undefined)),
  ],
  'a second deposit after the end': [paid, settled, paid, settled],
  'swapping for ever': [paid],
  'an unknown word': [paid, said({ state: 'TELEPORTING' })],
  'another transaction than was seen': [paid, swapped, sent, arrived],
  'another recipient in the answer': [paid, settled, said({ destAddress: `0x${'66'.repeat(20)}` })],
  'a time-out of the channel that is not known': [
    after(1, (lives, address) =>
      lives.reshape(address, ({ depositChannel, ...body }) => {
        const { estimatedExpiryTime: _estimate, ...kept } = depositChannel as Record<string, unknown>;
        return { ...body, depositChannel: kept };
      }),
    ),
    paid,
    settled,
  ],
  'numbers instead of texts': [
    paid,
    settled,
    after(1, (lives, address) =>
      lives.reshape(address, ({ swapEgress, ...body }) => ({
        ...body,
        swapEgress: { ...(swapEgress as object), amount: 24_931_022 },
      })),
    ),
  ],
} satisfies Record<string, readonly Step[]>;

export type Story = keyof typeof STORIES;

export const STORY_NAMES = Object.keys(STORIES) as readonly Story[];

export function stepsOf(story: Story): readonly Step[] {
  return STORIES[story];
}
