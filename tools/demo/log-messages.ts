/** The demo's own polls would drown what matters. */
const REQUEST = /^(?:GET|POST) \/(?:api|health)/;

/** The messages of Paybell's log for people: the log is JSON where there is no terminal. */
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
