/** How long before the expiry the address is first inspected. */
const BEFORE_EXPIRY_MS = 60_000;
/** The time until the expiry that a quote without one is given. */
const USUAL_TTL_MS = 300_000;
const WATCHED_MS = 86_400_000;
const FIRST_WAIT_MS = 60_000;
/** Makes about eight inspections in the whole time. */
const GROWTH = 3;
/** The inspections for a deposit that a payer has announced. */
const NAMED = { firstMs: 30_000, growth: 2 };

export function firstInspectionAt(expiresAt: Date | null, createdAt: Date): Date {
  const at = expiryOf(expiresAt, createdAt) - BEFORE_EXPIRY_MS;
  return new Date(Math.max(at, createdAt.getTime()));
}

export function watchEndsAt(expiresAt: Date | null, createdAt: Date): Date {
  return new Date(expiryOf(expiresAt, createdAt) + WATCHED_MS);
}

/** Returns the wait after this many inspections; null: the time is over. */
export function waitForDeposit(inspections: number, isNamed: boolean, leftMs: number): number | null {
  const { firstMs, growth } = isNamed ? NAMED : { firstMs: FIRST_WAIT_MS, growth: GROWTH };
  const waitMs = firstMs * growth ** Math.max(inspections - 1, 0);
  if (leftMs <= 0) return null;
  return Math.min(waitMs, leftMs);
}

function expiryOf(expiresAt: Date | null, createdAt: Date): number {
  return expiresAt?.getTime() ?? createdAt.getTime() + USUAL_TTL_MS;
}
