import { StoreUnavailable } from '../../ports/payments.ts';
import { StoreBusy } from '../../ports/store-busy.ts';

/** Makes the error of a wait that was too long. */
export type Late = (options?: ErrorOptions & { reason?: string }) => StoreUnavailable;

/** Tells a database that is away from a busy database. */
export class Answers {
  private count = 0;

  note(): void {
    this.count += 1;
  }

  /** Call it when a wait begins. */
  sinceNow(): Late {
    const before = this.count;
    return (options) => (this.count > before ? new StoreBusy(options) : new StoreUnavailable(options));
  }
}

/** Throws the error of `late` after this time. The statement that is given up runs on until its own time-out. */
export async function within<Result>(
  ms: number,
  work: Promise<Result>,
  late: Late = () => new StoreUnavailable(),
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
