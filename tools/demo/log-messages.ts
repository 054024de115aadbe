/** The demo's own polls would drown what matters. */
const REQUEST = /^(?:GET|POST) \/(?:api|health)/;

/** What a person reads of Paybell's log, which is JSON where there is no terminal. */
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
