let present: string | null = null;

/** The trace of the lines that are being logged at this moment; null: none. */
export function loggedTraceId(): string | null {
  return present;
}

/** Lines that `write` logs before it returns belong to this trace. An AsyncLocalStorage would cost time at every await. */
export function logIn(traceId: string, write: () => void): void {
  const before = present;
  present = traceId;
  try {
    write();
  } finally {
    present = before;
  }
}
