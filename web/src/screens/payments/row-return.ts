import { useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, type MouseEvent } from 'react';

import type { Payment } from '../../api/types.ts';

/** The row by which a person left the list, and the distance from the top of the window to the row. */
interface Place {
  readonly quoteId: string;
  readonly index: number;
  readonly top: number;
}

/** Places by the entry of the history to which Back and Forward return, in this tab and after a reload. */
const KEY = 'paybell.list-places';
const MAX_PLACES = 50;
/** The search for the row continues, page by page, until this many rows beyond its former index. */
const MOST_NEWER = 500;
/** Rows are measured when they are drawn: a row that has kept its place for this many frames stays there. */
const STEADY_FRAMES = 3;
const MOST_FRAMES = 60;
/** The events by which a person moves the page: after one of them, the page stays where it is. */
const MOVES = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

interface Returning {
  readonly payments: readonly Payment[];
  readonly hasMore: boolean;
  readonly isReading: boolean;
  readonly readMore: () => void;
  /** Where the row begins on the page, as far as rows were measured. */
  readonly offsetOf: (index: number) => number;
}

/**
 * Back returns to the row that was opened: the row is found by its payment, since rows above it may be new or of another height.
 * The result is the handler of clicks on the list.
 */
export function useRowReturn({ payments, hasMore, isReading, readMore, offsetOf }: Returning) {
  const router = useRouter();
  const place = useRef<Place | undefined>(undefined);
  useEffect(() => {
    place.current = readPlaces().get(keyOf(router));
    const forget = (): void => {
      place.current = undefined;
    };
    for (const move of MOVES) window.addEventListener(move, forget, { passive: true });
    return () => {
      for (const move of MOVES) window.removeEventListener(move, forget);
    };
  }, [router]);

  const onUndrawn = useEffectEvent((index: number) => {
    window.scrollTo(0, offsetOf(index) - (place.current?.top ?? 0));
  });
  const onMissing = useEffectEvent(() => {
    const most = (place.current?.index ?? -MOST_NEWER) + MOST_NEWER;
    if (hasMore && !isReading && payments.length <= most) readMore();
  });
  useEffect(() => {
    if (place.current === undefined) return undefined;
    const { quoteId } = place.current;
    const index = payments.findIndex((payment) => payment.quoteId === quoteId);
    if (index === -1) {
      onMissing();
      return undefined;
    }
    return align(
      index,
      () => place.current,
      () => onUndrawn(index),
    );
  }, [payments]);

  return (event: MouseEvent<HTMLElement>): void => {
    const row = (event.target as HTMLElement).closest<HTMLElement>('tr[data-index]');
    const index = Number(row?.dataset['index']);
    const payment = row === null ? undefined : payments[index];
    if (row === null || payment === undefined) return;
    const { top } = row.getBoundingClientRect();
    writePlace(keyOf(router), { quoteId: payment.quoteId, index, top });
  };
}

function keyOf({ state }: ReturnType<typeof useRouter>): string {
  // eslint-disable-next-line no-underscore-dangle -- the router's name
  return state.location.state.__TSR_key ?? '';
}

/** The stored text may come from another release, or be broken. */
function readPlaces(): Map<string, Place> {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as [string, Place][]);
  } catch {
    return new Map();
  }
}

function writePlace(key: string, place: Place): void {
  const others = [...readPlaces()].filter(([other]) => other !== key);
  try {
    sessionStorage.setItem(KEY, JSON.stringify([...others, [key, place]].slice(-MAX_PLACES)));
  } catch {
    // Without a store, Back leads to the top of the list.
  }
}

/**
 * Moves the page frame by frame until the row stands where it was, then gives the row the focus. Returns the function that
 * stops this.
 */
function align(index: number, placeNow: () => Place | undefined, onUndrawn: () => void): () => void {
  let frame = 0;
  let [steady, all] = [0, 0];
  const step = (): void => {
    const place = placeNow();
    const row = document.querySelector<HTMLElement>(`main tr[data-index="${index}"]`);
    all += 1;
    if (place === undefined || all > MOST_FRAMES) return;
    const off = row === null ? 0 : row.getBoundingClientRect().top - place.top;
    if (row === null) onUndrawn();
    else if (Math.abs(off) >= 1) window.scrollBy(0, off);
    steady = row === null || Math.abs(off) >= 1 ? 0 : steady + 1;
    if (steady < STEADY_FRAMES) frame = requestAnimationFrame(step);
    else row?.querySelector<HTMLElement>('[data-row-link]')?.focus({ preventScroll: true });
  };
  frame = requestAnimationFrame(step);
  return () => cancelAnimationFrame(frame);
}
