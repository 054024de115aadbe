const CLEAR_LINE = '\r\u001b[K';

/** Shows the progress of work on a terminal; a program that reads standard error gets none of it. */
export async function withProgress<Result>(
  what: string,
  total: number | null,
  work: (advance: (by?: number, newTotal?: number) => void) => Promise<Result>,
): Promise<Result> {
  const { stderr } = process;
  // A dumb terminal cannot erase a line.
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
