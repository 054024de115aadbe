import { disagreementsOf, disagreementWords } from '../../domain/replicas/disagreements.ts';
import { type LogTrouble, sayHeld } from '../../ports/log-trouble.ts';
import type { SeenReplica } from '../../ports/replicas.ts';
import { type AttentionItem, counted, hrefOfOnly, itemOf, verb } from './attention-item.ts';

/** Without one of these roles, payments are not polled, or events are not delivered. */
const NEEDED_ROLES = ['tracker', 'dispatcher'] as const;
/** A process that starts at most this long before another was last seen may replace it. */
const OVERLAP_MS = 120_000;

/** `since` null: not known. */
export function databaseItem({ detail, since }: { detail: string; since: Date | null }): AttentionItem {
  return itemOf('database_failing', { since, detail: `The database is in trouble: ${detail}.` });
}

export function logItems(trouble: LogTrouble | null, now: Date): AttentionItem[] {
  if (trouble === null) return [];
  const since = trouble.holder?.since ?? new Date(now.getTime() - trouble.heldMs);
  const words = sayHeld(trouble);
  return [itemOf('log_held', { since, detail: `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.` })];
}

export function secretItems(unreadable: readonly string[]): AttentionItem[] {
  const { length: count } = unreadable;
  if (count === 0) return [];
  const their = verb(count, 'its secret', 'their secrets');
  const detail = `${counted({ count }, 'webhook endpoint')} ${verb(count, 'gets', 'get')} nothing: ${their} cannot be decrypted.`;
  return [itemOf('secrets_unreadable', { count, detail, ...hrefOfOnly(unreadable, count) })];
}

export function replicaItems(replicas: readonly SeenReplica[]): AttentionItem[] {
  const alive = replicas.filter(({ isAlive }) => isAlive);
  const missing = NEEDED_ROLES.filter((role) => !alive.some(({ roles }) => roles.includes(role)));
  const items: AttentionItem[] = [];
  // Before the first beat of any replica, nothing is known.
  if (alive.length > 0 && missing.length > 0)
    items.push(
      itemOf('roles_missing', {
        count: missing.length,
        detail: `No replica with the role ${missing.join(' or ')} is running.`,
      }),
    );
  items.push(...settingItems(alive));
  const lost = replicas.filter((replica) => !replica.isAlive && !isReplaced(replica, alive));
  const [newest] = lost;
  if (newest !== undefined)
    items.push(
      itemOf('replicas_lost', { count: lost.length, since: newest.seenAt, detail: lostWords(lost, newest) }),
    );
  return items;
}

function settingItems(alive: readonly SeenReplica[]): AttentionItem[] {
  const disagreements = disagreementsOf(alive);
  const { length: count } = disagreements;
  if (count === 0) return [];
  const detail = `The replicas disagree: ${disagreements.map(disagreementWords).join('; ')}.`;
  return [itemOf('settings_disagree', { count, detail })];
}

function lostWords({ length: count }: readonly SeenReplica[], { roles, seenAt }: SeenReplica): string {
  const last = `the last one (${roles.join(', ')}) was seen at ${seenAt.toISOString()}`;
  return `${counted({ count }, 'replica')} stopped without saying so, or cannot reach the database: ${last}.`;
}

function isReplaced({ roles, seenAt }: SeenReplica, alive: readonly SeenReplica[]): boolean {
  return alive.some(
    (other) =>
      other.startedAt.getTime() > seenAt.getTime() - OVERLAP_MS &&
      roles.every((role) => other.roles.includes(role)),
  );
}
