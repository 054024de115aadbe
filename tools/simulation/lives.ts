import { isFinal, isWatched, type Status } from '../../src/domain/payment/status.ts';
import type { Random } from './random.ts';

/** One step in the true life of a payment, which only the provider knows until it is polled. */
export interface Change {
  readonly at: number;
  readonly status: Status;
}

/** The true life of a payment, whether or not it is polled. */
export interface Life {
  readonly id: number;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The quote's estimate from the deposit to the delivery. */
  readonly expectedMs: number;
  /** Begins with AWAITING_DEPOSIT at the creation. */
  readonly changes: readonly Change[];
  /** Until when the payer's page requests the status; null: the shop has no such page. */
  readonly pageUntil: number | null;
}

const SHARE_PAID = 0.4;
/** The time from the quote to the deposit's detection: find the wallet, copy, confirm, one block. */
const DEPOSIT_AFTER = { medianMs: 75_000, sigma: 0.75 };
/** The share of payers that pay after leaving the page: by a slow withdrawal from an exchange, or to a kept address. */
const SHARE_OF_LEAVERS_LATE = 0.01;
const LATE_AFTER = { medianMs: 3_600_000, sigma: 1.2 };
const SHARE_OF_LATE_REFUSED = 0.3;
/** Estimates by route, from a fast chain to a slow one, with their frequencies. */
const ESTIMATES_MS = [
  [20_000, 0.3],
  [60_000, 0.3],
  [180_000, 0.25],
  [600_000, 0.15],
] as const;
const CONFIRMING = { share: 0.3, sigma: 0.5 };
const EXECUTING = { share: 0.7, sigma: 0.5 };
const SHARE_STUCK = 0.01;
const STUCK_FACTOR = 20;
const SHARE_STRAIGHT = 0.05;
const SHARE_FAILED = 0.02;
const SHARE_OF_FAILED_SAVED = 0.2;
const SAVED_AFTER = { medianMs: 1_200_000, sigma: 1 };
/** The provider notices an expiry a moment after it. */
const EXPIRY_NOTICED = { medianMs: 600, sigma: 0.7 };
const SHARE_WITH_PAGE = 0.7;
const SHARE_PAGE_KEPT = 0.8;
const PAGE_LEFT_AFTER = { medianMs: 60_000, sigma: 1 };
const SHORTEST_MS = 200;

export function makeLife(id: number, createdAt: number, random: Random, quoteLifeMs = 300_000): Life {
  const expiresAt = createdAt + quoteLifeMs;
  const expectedMs = random.pick(ESTIMATES_MS);
  const depositAt = depositOf(createdAt, expiresAt, random);
  const changes: Change[] = [{ at: createdAt, status: 'AWAITING_DEPOSIT' }];
  const isExpired = depositAt === null || depositAt >= expiresAt;
  const noticedAt = expiresAt + random.lognormal(EXPIRY_NOTICED.medianMs, EXPIRY_NOTICED.sigma);
  if (isExpired) changes.push({ at: noticedAt, status: 'EXPIRED' });
  if (depositAt !== null) {
    const seenAt = isExpired ? Math.max(depositAt, noticedAt + SHORTEST_MS) : depositAt;
    const isRefused = isExpired && random.chance(SHARE_OF_LATE_REFUSED);
    changes.push(...(isRefused ? refusal(seenAt) : delivery(seenAt, expectedMs, random)));
  }
  const paidAt = isExpired ? null : depositAt;
  const endAt = changes.find(({ status }) => isEnd(status))?.at ?? expiresAt;
  return {
    id,
    createdAt,
    expiresAt,
    expectedMs,
    changes,
    pageUntil: pageOf(createdAt, endAt, paidAt, random),
  };
}

/** The last of the life's changes at an instant. */
export function changeAt({ changes }: Life, instant: number): number {
  let index = changes.length - 1;
  while (index > 0 && (changes[index] as Change).at > instant) index--;
  return index;
}

/** True for a status after which a client of the provider stops polling. */
export function isEnd(status: Status): boolean {
  return isFinal(status) || isWatched(status);
}

/** When the payment ends for a client that polls until an end. */
export function endOf({ changes }: Life): number {
  return changes.find(({ status }) => isEnd(status))?.at ?? Number.POSITIVE_INFINITY;
}

/** True for a change after an end: a deposit after the expiry, or a delivery after the failure. */
export function isLate({ changes }: Life, index: number): boolean {
  return changes.slice(0, index).some(({ status }) => isEnd(status));
}

function depositOf(createdAt: number, expiresAt: number, random: Random): number | null {
  if (random.chance(SHARE_PAID))
    return createdAt + Math.max(random.lognormal(DEPOSIT_AFTER.medianMs, DEPOSIT_AFTER.sigma), SHORTEST_MS);
  if (!random.chance(SHARE_OF_LEAVERS_LATE)) return null;
  return expiresAt + random.lognormal(LATE_AFTER.medianMs, LATE_AFTER.sigma);
}

function refusal(at: number): Change[] {
  return [{ at, status: 'FAILED' }];
}

function delivery(depositAt: number, expectedMs: number, random: Random): Change[] {
  const slowness = random.chance(SHARE_STUCK) ? STUCK_FACTOR : 1;
  const confirmMs = expectedMs * random.lognormal(CONFIRMING.share, CONFIRMING.sigma);
  const executeMs = expectedMs * random.lognormal(EXECUTING.share, EXECUTING.sigma) * slowness;
  const startedAt = depositAt + Math.max(confirmMs, SHORTEST_MS);
  const endedAt = startedAt + Math.max(executeMs, SHORTEST_MS);
  if (random.chance(SHARE_STRAIGHT)) return [{ at: endedAt, status: 'COMPLETED' }];
  const steps: Change[] = [
    { at: depositAt, status: 'DEPOSIT_RECEIVED' },
    { at: startedAt, status: 'EXECUTING' },
  ];
  if (!random.chance(SHARE_FAILED)) return [...steps, { at: endedAt, status: 'COMPLETED' }];
  steps.push({ at: endedAt, status: 'FAILED' });
  if (!random.chance(SHARE_OF_FAILED_SAVED)) return steps;
  const savedAt = endedAt + random.lognormal(SAVED_AFTER.medianMs, SAVED_AFTER.sigma);
  return [...steps, { at: savedAt, status: 'COMPLETED' }];
}

/** Payers mostly stay to see the end; others leave early. */
function pageOf(createdAt: number, endAt: number, paidAt: number | null, random: Random): number | null {
  if (!random.chance(SHARE_WITH_PAGE)) return null;
  const leftAt = createdAt + random.lognormal(PAGE_LEFT_AFTER.medianMs, PAGE_LEFT_AFTER.sigma);
  if (paidAt === null) return Math.min(leftAt, endAt);
  return random.chance(SHARE_PAGE_KEPT) ? endAt : random.between(createdAt, paidAt);
}
