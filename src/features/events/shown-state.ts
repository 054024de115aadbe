/** Shows a client the state that events lead to, in place of the events: at the beginning, and when events have come. */
export class ShownState {
  private shown = '';
  private isStale = false;
  private isReading = false;

  constructor(
    /** The frame of the present state; null: there is no more to show. */
    private readonly read: () => Promise<string | null>,
    private readonly write: (frame: string) => void,
    private readonly end: () => void,
  ) {}

  /** Reads the state once for all events that come meanwhile, and writes it where it has changed. */
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
      // The database is away: it is read again with the next heartbeat.
      this.isStale = true;
    } finally {
      this.isReading = false;
    }
  }

  /** Reads again what could not be read. */
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
