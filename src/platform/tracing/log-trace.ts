let present: string | null = null;

/** The trace that lines are logged for at this moment; null: none. */
export function loggedTraceId(): string | null {
  return present;
}

/** Lines that `write` logs before it returns belong to this trace. A store that follows promises would cost every await. */
export function logIn(traceId: string, write: () => void): void {
  const before = present;
  present = traceId;
  try {
    write();
  } finally {
    present = before;
  }
}
