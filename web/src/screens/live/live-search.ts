import { given, leftOut, wordsIn, type Search } from '../../format/search-params.ts';
import { EVENT_TYPES } from '../../format/words.ts';

/** Which types of event are shown; absent: all. */
export interface LiveSearch {
  readonly type?: (typeof EVENT_TYPES)[number][] | undefined;
}

export function readLiveSearch(search: Search): LiveSearch {
  return given({ type: wordsIn(search, 'type', EVENT_TYPES) });
}

export function leftOutOfLive(search: object): string[] {
  return leftOut(search, readLiveSearch(search as Search), ['type']);
}
