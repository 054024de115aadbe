import { queryOptions, useQueries } from '@tanstack/react-query';
import { createContext, useContext } from 'react';

import { call } from '../../api/client.ts';
import { useMay } from '../../access/whoami.ts';
import type { Payment, Progress } from '../../api/types.ts';

/** Rows are requested in groups, so that scrolling a little repeats no request. */
const GROUP = 50;
const EVERY_MS = 10_000;

interface ProgressById {
  readonly byId: ReadonlyMap<string, Progress>;
  /** True while a group's answer has not come yet. */
  readonly isPending: boolean;
}

const NONE: ProgressById = { byId: new Map(), isPending: true };

/** The progress of the payments whose rows are drawn, by quote id. */
export const ProgressContext = createContext(NONE);

/** `isPending`: whether the payment's answer may still come. */
export function useProgressOf({ quoteId }: Payment): { progress: Progress | undefined; isPending: boolean } {
  const { byId, isPending } = useContext(ProgressContext);
  const progress = byId.get(quoteId);
  return { progress, isPending: progress === undefined && isPending };
}

/** Polls and deliveries change without an event, so the progress of drawn rows is read repeatedly. */
export function useProgress(payments: readonly Payment[], first: number, last: number): ProgressById {
  const isOn = useMay('inspect');
  const groups: string[][] = [];
  for (let start = first - (first % GROUP); start <= last && start < payments.length; start += GROUP)
    groups.push(payments.slice(start, start + GROUP).map(({ quoteId }) => quoteId));
  return useQueries({ queries: groups.map((ids) => progressQuery(ids, isOn)), combine: combined });
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

interface Read {
  readonly data: Progress[] | undefined;
  readonly isPending: boolean;
}

function combined(results: readonly Read[]): ProgressById {
  const all = results.flatMap(({ data = [] }) => data);
  return {
    byId: new Map(all.map((progress) => [progress.quoteId, progress])),
    isPending: results.some(({ isPending }) => isPending),
  };
}
