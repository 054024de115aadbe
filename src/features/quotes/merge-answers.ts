import { setTimeout as sleep } from 'node:timers/promises';

import { addressKey } from '../../domain/payment/address-key.ts';
import { isRecord } from '../../domain/payment/reading.ts';
import { elementTexts, memberText, memberTexts } from '../../domain/text/member-text.ts';

/**
 * Returns the answers of several providers, null for each that fails or that answers more than `graceMs` after the first.
 * Throws the first one's error when all fail.
 */
export async function answersWithin<Answer>(
  asked: readonly Promise<Answer>[],
  graceMs: number,
): Promise<(Answer | null)[]> {
  const answers: (Answer | null)[] = asked.map(() => null);
  const noted = asked.map(async (answer, index) => {
    answers[index] = await answer;
  });
  const settled = Promise.allSettled(noted);
  try {
    await Promise.any(noted);
  } catch (error) {
    throw (error as AggregateError).errors[0];
  }
  const waiting = new AbortController();
  const graceOver = sleep(graceMs, undefined, { signal: waiting.signal }).catch(() => undefined);
  await Promise.race([settled, graceOver]);
  waiting.abort();
  return [...answers];
}

/** A provider's answer to a question that several were asked, verbatim. */
export interface ProviderText {
  readonly provider: string;
  readonly text: string;
}

interface Entry {
  /** Equal for the entries of several providers that are the same chain or token. */
  readonly key: string;
  readonly provider: string;
  /** The place of its provider in the order of preference. */
  readonly preference: number;
  /** Its place in its provider's answer. */
  readonly rank: number;
  readonly text: string;
}

type Kind = 'chains' | 'currencies';

/**
 * One answer made of several providers' answers, which stand in the order of preference. A chain, or a token of a chain, is
 * in it once, with the fields of the first provider that has it, and with `metadata.providers`. The best of each provider
 * come first, since `limit` cuts the rest.
 */
export function mergeEntries(kind: Kind, answers: readonly ProviderText[], limit = Infinity): string {
  const entries = answers.flatMap((answer, preference) => entriesOf(kind, answer, preference));
  const groups = new Map<string, Entry[]>();
  for (const entry of entries.sort((one, other) => one.rank - other.rank))
    groups.set(entry.key, [...(groups.get(entry.key) ?? []), entry]);
  const merged = [...groups.values()].slice(0, limit).map(oneOf);
  return `{"success":true,"${kind}":[${merged.join(',')}]}`;
}

/** The first provider's entry, and the names of all that have it. */
function oneOf(entries: readonly Entry[]): string {
  const preferred = [...entries].sort((one, other) => one.preference - other.preference);
  const members = memberTexts(preferred[0]?.text ?? '{}') ?? new Map<string, string>();
  const metadata = memberTexts(members.get('metadata') ?? '{}') ?? new Map<string, string>();
  metadata.set('providers', JSON.stringify([...new Set(preferred.map(({ provider }) => provider))]));
  members.set('metadata', objectText(metadata));
  return objectText(members);
}

function objectText(members: ReadonlyMap<string, string>): string {
  return `{${[...members].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}

/** Leaves out what can't be told apart from other entries. */
function entriesOf(kind: Kind, { provider, text }: ProviderText, preference: number): Entry[] {
  const entries = elementTexts(memberText(text, kind) ?? '[]') ?? [];
  return entries.flatMap((entry, rank) => {
    const key = keyOf(kind, JSON.parse(entry));
    return key === null ? [] : [{ key, provider, preference, rank, text: entry }];
  });
}

function keyOf(kind: Kind, entry: unknown): string | null {
  if (!isRecord(entry)) return null;
  const chainId = Number(kind === 'chains' ? entry['id'] : entry['chainId']);
  if (!Number.isSafeInteger(chainId) || chainId <= 0) return null;
  if (kind === 'chains') return String(chainId);
  const address = entry['address'];
  return typeof address === 'string' ? `${chainId}:${addressKey(address)}` : null;
}
