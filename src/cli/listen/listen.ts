import { EventFollower, type StreamedEvent } from '../api/event-stream.ts';
import { printableJson } from '../../domain/text/printable.ts';
import { LogOutput, sayDropped } from '../../platform/process/log-output.ts';
import { readEvent } from '../events/event-line.ts';
import type { Session } from '../api/session.ts';
import { endsByInterruption } from '../output/interruption.ts';
import { print } from '../output/print.ts';
import { styled, textOf } from '../output/table.ts';
import type { TestAnswer } from '../../ports/webhook-tester.ts';
import { Forwarder } from './forwarder.ts';

export interface ListenOptions {
  readonly forward: string;
  readonly type?: string[];
  readonly after?: string;
  readonly json?: true;
}

/** How many events are in progress at once, each of another payment. */
const CONCURRENCY = 16;

/** Forwards events until the command is interrupted, in order per payment and each once. */
export async function listen(session: Session, options: ListenOptions): Promise<void> {
  const { forward, type: types = [], after = null, json } = options;
  const forwarder = new Forwarder(forward, session.signal);
  const { secret } = forwarder;
  await print(
    json === true
      ? `${JSON.stringify({ secret, forward })}\n`
      : `The secret of these webhooks, until Ctrl-C: ${secret}\nEvents go to ${forward}\n`,
  );
  // Forwarding continues even if lines cannot be written, as on a full disk.
  const output = LogOutput.onStandardOutput((dropped) =>
    json === true ? `${JSON.stringify({ dropped })}\n` : `${sayDropped(dropped)}\n`,
  );
  const report = (line: string): void => {
    if (output.write(line) === 'EPIPE') process.exit();
  };
  const lanes = new Map<string, Promise<void>>();
  try {
    await endsByInterruption(session.signal, async () => {
      for await (const event of new EventFollower(session, { types, after }).events()) {
        const { quoteId } = readEvent(event.body).data;
        const before = lanes.get(quoteId);
        const sent = (before ?? Promise.resolve()).then(() =>
          deliver(forwarder, event, json === true, report),
        );
        lanes.set(quoteId, sent);
        void sent.finally(() => lanes.get(quoteId) === sent && lanes.delete(quoteId)).catch(() => undefined);
        if (lanes.size >= CONCURRENCY) await Promise.race(lanes.values());
      }
    });
  } finally {
    await Promise.allSettled(lanes.values());
    await forwarder.close();
  }
}

async function deliver(
  forwarder: Forwarder,
  event: StreamedEvent,
  isJson: boolean,
  report: (line: string) => void,
): Promise<void> {
  const forwarded = await forwarder.forward({ eventId: event.id, body: event.body });
  if (forwarded === null) return;
  report(
    isJson
      ? `${printableJson(JSON.stringify({ id: event.id, type: event.type, ...forwarded }))}\n`
      : forwardLine(event, forwarded),
  );
}

/** `time  type  quote id  number  answer, or failure and code  duration`, for people. */
export function forwardLine(
  { type, body }: StreamedEvent,
  { delivered, httpStatus, failure, code, durationMs }: TestAnswer,
): string {
  const { time, data } = readEvent(body);
  const how = [failure ?? 'no answer', ...(code === null ? [] : [code])].join(' ');
  const answer = httpStatus === null ? how : String(httpStatus);
  const shown = styled(delivered ? 'green' : 'red', textOf(answer));
  const words = [textOf(time), textOf(type), textOf(data.quoteId), `#${textOf(data.sequence)}`];
  return `${[...words, shown, `${durationMs} ms`].join('  ')}\n`;
}
