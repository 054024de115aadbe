/** A key that is revoked in this process ends its long answers within this time. */
export const CHECK_KEYS_EVERY_MS = 1_000;
/** An answer ends when its key could not be checked for this long: the database is away. */
export const MAX_UNCHECKED_MS = 30_000;

/** An answer that takes minutes or hours: an event stream, or a file that is read slowly. */
export interface LongAnswer {
  /** Whether the answer's API key is still valid. Throws StoreUnavailable. */
  readonly isAllowed?: (() => Promise<boolean>) | undefined;
  /** Answers with the same id are allowed or refused together. */
  readonly accessId?: string | undefined;
}

interface Access {
  checkedAt: number;
  isChecking: boolean;
}

/** Decides which long answers may go on. Answers with one API key, or of one session, are checked together. */
export class AnswerAccess<T extends LongAnswer> {
  private readonly known = new Map<string, Access>();

  constructor(private readonly refuse: (answer: T) => void) {}

  /** Starts a check of all these answers, and refuses those that could not be checked for too long. */
  check(answers: Iterable<T>, now: number): void {
    const groups = groupsOf(answers);
    for (const id of this.known.keys()) if (!groups.has(id)) this.known.delete(id);
    for (const [id, group] of groups) {
      const access = this.known.get(id) ?? { checkedAt: now, isChecking: false };
      this.known.set(id, access);
      if (now - access.checkedAt >= MAX_UNCHECKED_MS) this.refuseAll(group);
      else if (!access.isChecking) void this.checkGroup(access, group, now);
    }
  }

  private async checkGroup(access: Access, group: readonly T[], now: number): Promise<void> {
    access.isChecking = true;
    try {
      if ((await group[0]?.isAllowed?.()) === false) this.refuseAll(group);
      access.checkedAt = now;
    } catch {
      // The answer stays unchecked.
    } finally {
      access.isChecking = false;
    }
  }

  private refuseAll(group: readonly T[]): void {
    for (const answer of group) this.refuse(answer);
  }
}

function groupsOf<T extends LongAnswer>(answers: Iterable<T>): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const answer of answers) {
    const { isAllowed, accessId = '' } = answer;
    if (isAllowed === undefined) continue;
    const group = groups.get(accessId);
    if (group === undefined) groups.set(accessId, [answer]);
    else group.push(answer);
  }
  return groups;
}
