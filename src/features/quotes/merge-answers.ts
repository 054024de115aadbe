import { setTimeout as sleep } from 'node:timers/promises';

import { addressKey } from '../../domain/chains/address-key.ts';
import { isRecord } from '../../domain/payment/reading.ts';
import { type ListedToken, readChainId, readListedToken } from '../../domain/payment/listed-token.ts';
import { isDisputed, type SaidDecimals } from '../../domain/payment/said-decimals.ts';
import { elementTexts, memberText, memberTexts } from '../../domain/text/member-text.ts';

/**
 * Returns the answers of several providers, null for each that fails or answers more than `graceMs` after the first. Throws
 * the first provider's error when all fail.
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

/** One provider's answer, verbatim, to a question that several were asked. */
export interface ProviderText {
  readonly provider: string;
  readonly text: string;
}

/** A token whose fraction digits differ between providers. */
export interface DisputedToken extends Omit<ListedToken, 'decimals'> {
  readonly key: string;
  readonly said: SaidDecimals;
}

interface Entry {
  /** Equal for the entries of several providers that are the same chain or token. */
  readonly key: string;
  readonly provider: string;
  /** The position of its provider in the order of preference. */
  readonly preference: number;
  /** The position in the provider's answer. */
  readonly rank: number;
  readonly text: string;
  /** Null: it is a chain. */
  readonly token: ListedToken | null;
}

type Kind = 'chains' | 'currencies';

/**
 * Merges several providers' answers, given in the order of preference, into one. A chain, or a token of a chain, occurs once,
 * with the fields of the first provider that has it and with `metadata.providers`. The best entries of each provider come
 * first, since `limit` cuts the rest. `decided`: the fraction digits that count, by the key of each disputed token.
 */
export function mergeEntries(
  kind: Kind,
  answers: readonly ProviderText[],
  limit = Infinity,
  decided: ReadonlyMap<string, number | null> = new Map(),
): string {
  const merged = groupsOf(kind, answers)
    .slice(0, limit)
    .map((group) => oneOf(group, decided));
  return `{"success":true,"${kind}":[${merged.join(',')}]}`;
}

/** The tokens of a merged answer about which its providers differ. */
export function disputesIn(answers: readonly ProviderText[], limit: number): readonly DisputedToken[] {
  return groupsOf('currencies', answers)
    .slice(0, limit)
    .flatMap((entries) => {
      const [first] = entries;
      const said = saidBy(entries);
      if (first === undefined || first.token === null || !isDisputed(said)) return [];
      const { chainId, address } = first.token;
      return [{ key: first.key, chainId, address, said }];
    });
}

/** The entries of each chain or token, those of the preferred provider first. */
function groupsOf(kind: Kind, answers: readonly ProviderText[]): readonly (readonly Entry[])[] {
  const entries = answers.flatMap((answer, preference) => entriesOf(kind, answer, preference));
  const groups = new Map<string, Entry[]>();
  for (const entry of entries.sort((one, other) => one.rank - other.rank))
    groups.set(entry.key, [...(groups.get(entry.key) ?? []), entry]);
  return [...groups.values()].map((group) =>
    group.toSorted((one, other) => one.preference - other.preference),
  );
}

/**
 * The entry of the first provider, with the names of all that have it. If the providers differ, the entry of the first one
 * that is right.
 */
function oneOf(entries: readonly Entry[], decided: ReadonlyMap<string, number | null>): string {
  const said = saidBy(entries);
  const right = decided.get(entries[0]?.key ?? '') ?? null;
  const shown = entries.find(({ token }) => right !== null && token?.decimals === right) ?? entries[0];
  const members = memberTexts(shown?.text ?? '{}') ?? new Map<string, string>();
  const metadata = memberTexts(members.get('metadata') ?? '{}') ?? new Map<string, string>();
  metadata.set('providers', JSON.stringify([...new Set(entries.map(({ provider }) => provider))]));
  if (isDisputed(said)) metadata.set('decimals', JSON.stringify(Object.fromEntries(said)));
  members.set('metadata', objectText(metadata));
  return objectText(members);
}

function saidBy(entries: readonly Entry[]): SaidDecimals {
  return new Map(
    entries.flatMap(({ provider, token }) =>
      token === null || token.decimals === null ? [] : [[provider, token.decimals] as const],
    ),
  );
}

function objectText(members: ReadonlyMap<string, string>): string {
  return `{${[...members].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}

/** Leaves out entries that cannot be told from others. */
function entriesOf(kind: Kind, { provider, text }: ProviderText, preference: number): Entry[] {
  const entries = elementTexts(memberText(text, kind) ?? '[]') ?? [];
  return entries.flatMap((entry, rank) => {
    const value: unknown = JSON.parse(entry);
    const token = kind === 'chains' ? null : readListedToken(value);
    const key = kind === 'chains' ? chainKeyOf(value) : tokenKeyOf(token);
    return key === null ? [] : [{ key, provider, preference, rank, text: entry, token }];
  });
}

function chainKeyOf(entry: unknown): string | null {
  const id = isRecord(entry) ? readChainId(entry['id']) : null;
  return id === null ? null : String(id);
}

function tokenKeyOf(token: ListedToken | null): string | null {
  return token === null ? null : `${token.chainId}:${addressKey(token.address)}`;
}
