import { writeFileSync } from 'node:fs';

/**
 * The wall clock of one process, which a test may step while the process runs. Durations by the monotonic clock stay right.
 */
export class FakedClock {
  constructor(
    private readonly library: string,
    private readonly file: string,
  ) {
    this.step(0);
  }

  /** The environment for a process with this clock. */
  get env(): Record<string, string> {
    return {
      LD_PRELOAD: this.library,
      FAKETIME_TIMESTAMP_FILE: this.file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    };
  }

  /** Moves the clock by this many seconds relative to the machine's; takes effect within a second. */
  step(byS: number): void {
    writeFileSync(this.file, `${byS < 0 ? '' : '+'}${byS}\n`);
  }
}
