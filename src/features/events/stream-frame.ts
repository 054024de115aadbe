import { cursorOf, type LogPosition } from '../../domain/event/log-position.ts';
import type { LoggedEvent } from '../../ports/event-log.ts';

/** How long a client waits before it reconnects. */
const RETRY_MS = 2_000;
const LINE_BREAK = /\r\n|\r|\n/;

export const HEARTBEAT = ':\n\n';

export const RETRY_FRAME = `retry: ${RETRY_MS}\n\n`;

/** An id without data marks the stream's start: a client that is cut off before its first event resumes there. */
export function firstFrame(from: LogPosition): string {
  return `retry: ${RETRY_MS}\nid: ${cursorOf(from)}\n\n`;
}

/** A comment line, which clients ignore. */
export function commentFrame(text: string): string {
  return `: ${text}\n\n`;
}

/** A message without a name, which EventSource hands to `onmessage`. `json` is one line. */
export function dataFrame(json: string): string {
  return `data: ${json}\n\n`;
}

/** An event in the SSE format. Each line of the provider's JSON becomes one `data` line; clients join them again. */
export function eventFrame({ id, type, body }: LoggedEvent): Buffer {
  const data = body.split(LINE_BREAK).map((line) => `data: ${line}\n`);
  return Buffer.from(`id: ${id}\nevent: ${type}\n${data.join('')}\n`);
}
