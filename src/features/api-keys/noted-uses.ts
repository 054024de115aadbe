import { Injectable, Logger } from '@nestjs/common';

import { KeyUses, type KnownKey } from '../../ports/api-keys.ts';
import { Timers } from '../../ports/timers.ts';

/** A use within this time after a noted use of the same key is not noted. */
const NOTE_EVERY_MS = 60_000;

/** Notes the use of keys in the background of the requests that use them. */
@Injectable()
export class NotedUses {
  private readonly log = new Logger(NotedUses.name);
  /** The time of each key's noted use, by the key's hash. Only known keys have one, so that guesses take no memory. */
  private readonly notedAt = new Map<string, number>();

  constructor(
    private readonly keyUses: KeyUses,
    private readonly timers: Timers,
  ) {}

  /** Returns at once; a use that cannot be written is dropped. */
  noteUse(key: KnownKey, address: string | null): void {
    const hash = key.hash.toString('hex');
    const now = this.timers.nowMs();
    if (now - (this.notedAt.get(hash) ?? Number.NEGATIVE_INFINITY) < NOTE_EVERY_MS) return;
    this.notedAt.set(hash, now);
    this.keyUses.noteUse(hash, address).catch((error: unknown) => {
      this.log.debug(
        `the use of a key cannot be noted: ${error instanceof Error ? error.message : 'unknown'}`,
      );
    });
  }
}
