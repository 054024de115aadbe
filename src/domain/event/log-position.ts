/** A place in the event log, after one event and before the next. */
export interface LogPlace {
  readonly rank: bigint;
  readonly position: bigint;
}

export const LOG_START: LogPlace = { rank: 0n, position: 0n };

const CURSOR = /^(\d{1,18})-(\d{1,18})$/;

export function isAfter(place: LogPlace, other: LogPlace): boolean {
  return place.rank === other.rank ? place.position > other.position : place.rank > other.rank;
}

/** The text that a reader keeps to go on from here. */
export function cursorOf({ rank, position }: LogPlace): string {
  return `${rank}-${position}`;
}

/** Null: the text is no cursor. */
export function placeOfCursor(text: string): LogPlace | null {
  const [, rank, position] = CURSOR.exec(text) ?? [];
  if (rank === undefined || position === undefined) return null;
  return { rank: BigInt(rank), position: BigInt(position) };
}
