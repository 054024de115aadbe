/** Leaves out the demo's own polls, which would drown the other lines. */
const REQUEST = /^(?:GET|POST) \/(?:api|health)/;

/** The messages in Paybell's log, for people: without a terminal the log is JSON. */
export function messagesOf(lines: readonly string[]): string[] {
  return lines.map(readLogLine).filter((text) => !REQUEST.test(text));
}

function readLogLine(line: string): string {
  try {
    const { msg, err } = JSON.parse(line) as { msg?: string; err?: { message?: string } };
    return [msg, err?.message].filter((part) => part !== undefined).join(': ') || line;
  } catch {
    return line;
  }
}
