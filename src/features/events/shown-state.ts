/** Shows a client the state that events lead to, instead of the events: at the beginning, and after events. */
export class ShownState {
  private shown = '';
  private isStale = false;
  private isReading = false;

  constructor(
    /** Reads the frame of the present state; null: the state was final, and nothing follows. */
    private readonly read: () => Promise<string | null>,
    private readonly write: (frame: string) => void,
    private readonly end: () => void,
  ) {}

  /** Reads the state once for all events since the last read, and writes it if it has changed. */
  async refresh(): Promise<void> {
    this.isStale = true;
    if (this.isReading) return;
    this.isReading = true;
    try {
      while (this.isStale) {
        this.isStale = false;
        this.show(await this.read());
      }
    } catch {
      // The database is away: the next heartbeat reads the state again.
      this.isStale = true;
    } finally {
      this.isReading = false;
    }
  }

  /** Repeats a failed read. */
  retry(): void {
    if (this.isStale) void this.refresh();
  }

  private show(frame: string | null): void {
    if (frame === null) return this.end();
    if (frame === this.shown) return;
    this.shown = frame;
    this.write(frame);
  }
}
