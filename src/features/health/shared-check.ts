const CHECK_TIMEOUT_MS = 2_000;

/** One question at a time, for all who ask meanwhile: a database that hangs must not have its pool filled with probes. */
export class SharedCheck<Answer> {
  private asked: Promise<Answer | null> | null = null;

  constructor(private readonly ask: () => Promise<Answer>) {}

  /** Null: it failed, or has not answered within two seconds. */
  async answer(): Promise<Answer | null> {
    this.asked ??= this.askOnce().finally(() => (this.asked = null));
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), CHECK_TIMEOUT_MS);
    });
    return Promise.race([this.asked, timeout]).finally(() => clearTimeout(timer));
  }

  private async askOnce(): Promise<Answer | null> {
    try {
      return await this.ask();
    } catch {
      return null;
    }
  }
}
