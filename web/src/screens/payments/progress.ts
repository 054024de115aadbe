import { queryOptions, useQueries } from '@tanstack/react-query';
import { createContext, useContext } from 'react';

import { call } from '../../api/client.ts';
import { useMay } from '../../access/whoami.ts';
import type { Payment, Progress } from '../../api/types.ts';

/** Rows are requested in groups, so that scrolling a little repeats no request. */
const GROUP = 50;
const EVERY_MS = 10_000;

type ProgressById = ReadonlyMap<string, Progress>;

const NONE: ProgressById = new Map();

/** The progress of the payments whose rows are drawn, by quote id. */
export const ProgressContext = createContext(NONE);

export function useProgressOf({ quoteId }: Payment): Progress | undefined {
  return useContext(ProgressContext).get(quoteId);
}

/** Polls and deliveries change without an event, so the progress of drawn rows is read repeatedly. */
export function useProgress(payments: readonly Payment[], first: number, last: number): ProgressById {
  const isOn = useMay('inspect');
  const groups: string[][] = [];
  for (let start = first - (first % GROUP); start <= last && start < payments.length; start += GROUP)
    groups.push(payments.slice(start, start + GROUP).map(({ quoteId }) => quoteId));
  return useQueries({ queries: groups.map((ids) => progressQuery(ids, isOn)), combine: byId });
}

function progressQuery(quoteIds: readonly string[], isOn: boolean) {
  return queryOptions({
    queryKey: ['payments', 'progress', ...quoteIds] as const,
    queryFn: async ({ signal }) =>
      (await call('get', '/api/payment-progress', { query: { quoteId: [...quoteIds] }, signal })).data,
    enabled: isOn,
    refetchInterval: EVERY_MS,
    gcTime: EVERY_MS,
  });
}

function byId(results: readonly { readonly data: Progress[] | undefined }[]): ProgressById {
  const all = results.flatMap(({ data = [] }) => data);
  return all.length === 0 ? NONE : new Map(all.map((progress) => [progress.quoteId, progress]));
}
