import { StoreUnavailable } from '../../ports/payments.ts';

const CHECK_TIMEOUT_MS = 2_000;
const TOO_LATE = `the database gives no answer within ${CHECK_TIMEOUT_MS / 1_000} s`;

/** The answer of a check; or null, and the reason why there is none. */
export interface Checked<Answer> {
  readonly answer: Answer | null;
  readonly why: string;
}

/** Waits two seconds at most for the answer of a check. Never throws. */
export async function answerInTime<Answer>(check: Promise<Answer>): Promise<Checked<Answer>> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Checked<Answer>>((resolve) => {
    timer = setTimeout(() => resolve({ answer: null, why: TOO_LATE }), CHECK_TIMEOUT_MS);
  });
  const asked = check.then(
    (answer) => ({ answer, why: '' }),
    (error: unknown) => ({ answer: null, why: reasonOf(error) }),
  );
  return Promise.race([asked, timeout]).finally(() => clearTimeout(timer));
}

function reasonOf(error: unknown): string {
  return error instanceof StoreUnavailable ? `the database: ${error.reason}` : 'the check itself failed';
}
