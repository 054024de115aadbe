import { StoreUnavailable } from '../../ports/payments.ts';

const CHECK_TIMEOUT_MS = 2_000;

/** Shares one running check among concurrent callers, so that checks do not fill the pool of a hanging database. */
export class SharedCheck<Answer> {
  private asked: Promise<Answer | null> | null = null;
  private failure: string | null = null;

  constructor(private readonly ask: () => Promise<Answer>) {}

  /** Why the last answer was none. */
  get why(): string {
    return this.failure ?? `the database gives no answer within ${CHECK_TIMEOUT_MS / 1_000} s`;
  }

  /** Null when the check failed or took longer than two seconds. */
  async answer(): Promise<Answer | null> {
    this.asked ??= this.askOnce().finally(() => (this.asked = null));
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), CHECK_TIMEOUT_MS);
    });
    return Promise.race([this.asked, timeout]).finally(() => clearTimeout(timer));
  }

  private async askOnce(): Promise<Answer | null> {
    this.failure = null;
    try {
      return await this.ask();
    } catch (error) {
      const isDatabase = error instanceof StoreUnavailable;
      this.failure = isDatabase ? `the database: ${error.reason}` : 'the check itself failed';
      return null;
    }
  }
}
