const CLEAR_LINE = '\r\u001b[K';

/** Shows on a terminal how far the work is; a program that reads standard error gets none of it. */
export async function withProgress<Result>(
  what: string,
  total: number | null,
  work: (advance: (by?: number, newTotal?: number) => void) => Promise<Result>,
): Promise<Result> {
  const { stderr } = process;
  // A dumb terminal can't take a line away.
  const isShown = stderr.isTTY && process.env['TERM'] !== 'dumb';
  let done = 0;
  let last = total;
  const show = (): void => {
    if (isShown) stderr.write(`${CLEAR_LINE}${what}: ${done}${last === null ? '' : ` of ${last}`}`);
  };
  const clear = (): void => void (isShown && stderr.write(CLEAR_LINE));
  process.once('exit', clear);
  show();
  try {
    return await work((by = 1, newTotal) => {
      done += by;
      last = newTotal ?? last;
      show();
    });
  } finally {
    process.off('exit', clear);
    clear();
  }
}
