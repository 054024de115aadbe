import type { ConnectionHealths, ConnectionTrouble } from './readiness.ts';
import type { ReplicaState, SeenReplica } from './replicas.ts';

/** What this process knows of the connections of destinations. */
export function ownTroubles({ all }: ConnectionHealths): ReplicaState['troubles'] {
  return Object.fromEntries(
    all.flatMap((connection) => {
      const trouble = connection.trouble();
      return trouble === null ? [] : [[connection.name, trouble]];
    }),
  );
}

/** What keeps events from destinations of this kind, by this process and by what the others said last; the oldest first. */
export function connectionTroubles(
  kind: string,
  connections: ConnectionHealths,
  others: readonly SeenReplica[],
): ConnectionTrouble[] {
  const all = [ownTroubles(connections), ...others.map(({ troubles }) => troubles)];
  return all
    .flatMap((troubles) => troubles[kind] ?? [])
    .toSorted((one, other) => one.since.getTime() - other.since.getTime());
}
