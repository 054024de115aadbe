import type { StreamClient } from './stream-client.ts';

/** A stream ends when nobody could say for so long whether its key is still valid: the database is away. */
export const MAX_UNCHECKED_MS = 30_000;

interface Access {
  checkedAt: number;
  isChecking: boolean;
}

/** Which streams may go on. Those with one API key, or of one session, are checked together. */
export class StreamAccess {
  private readonly known = new Map<string, Access>();

  constructor(private readonly refuse: (client: StreamClient) => void) {}

  /** Begins a check of all of these streams, and refuses those that could not be checked for too long. */
  check(clients: Iterable<StreamClient>, now: number): void {
    const groups = groupsOf(clients);
    for (const id of this.known.keys()) if (!groups.has(id)) this.known.delete(id);
    for (const [id, group] of groups) {
      const access = this.known.get(id) ?? { checkedAt: now, isChecking: false };
      this.known.set(id, access);
      if (now - access.checkedAt >= MAX_UNCHECKED_MS) this.refuseAll(group);
      else if (!access.isChecking) void this.checkGroup(access, group, now);
    }
  }

  private async checkGroup(access: Access, group: readonly StreamClient[], now: number): Promise<void> {
    access.isChecking = true;
    try {
      if ((await group[0]?.start.isAllowed?.()) === false) this.refuseAll(group);
      access.checkedAt = now;
    } catch {
      // It stays unchecked.
    } finally {
      access.isChecking = false;
    }
  }

  private refuseAll(group: readonly StreamClient[]): void {
    for (const client of group) this.refuse(client);
  }
}

function groupsOf(clients: Iterable<StreamClient>): Map<string, StreamClient[]> {
  const groups = new Map<string, StreamClient[]>();
  for (const client of clients) {
    const { isAllowed, accessId = '' } = client.start;
    if (isAllowed === undefined) continue;
    const group = groups.get(accessId);
    if (group === undefined) groups.set(accessId, [client]);
    else group.push(client);
  }
  return groups;
}
