/** For how long the doctor waits for each answer. Longer than the service takes to say that its database does not answer. */
export const LIMIT_MS = 3_000;

/** An answer that did not come in time. Its cause may be the other side, the way to it, or the load of this machine. */
export class Late extends Error {
  constructor(limitMs = LIMIT_MS) {
    super(`did not answer in ${limitMs / 1_000} s`);
  }
}

/** The result of the work; throws Late if it takes longer. The work itself goes on. */
export async function inTime<Result>(work: Promise<Result>, limitMs = LIMIT_MS): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Late(limitMs)), limitMs);
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
  }
}
