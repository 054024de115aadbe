/** A position in the event log, after one event and before the next. */
export interface LogPosition {
  readonly rank: bigint;
  readonly position: bigint;
}

export const LOG_START: LogPosition = { rank: 0n, position: 0n };

const CURSOR = /^(\d{1,18})-(\d{1,18})$/;

export function isAfter(one: LogPosition, other: LogPosition): boolean {
  return one.rank === other.rank ? one.position > other.position : one.rank > other.rank;
}

/** The cursor text with which a reader continues from this position. */
export function cursorOf({ rank, position }: LogPosition): string {
  return `${rank}-${position}`;
}

/** Returns null when the text is not a cursor. */
export function parseCursor(text: string): LogPosition | null {
  const [, rank, position] = CURSOR.exec(text) ?? [];
  if (rank === undefined || position === undefined) return null;
  return { rank: BigInt(rank), position: BigInt(position) };
}
