import { open } from 'node:fs/promises';

import { isRecord } from '../../domain/payment/reading.ts';
import type { Schemas } from '../api/api-client.ts';
import { linesOf } from '../api/lines.ts';
import { Patience } from '../api/patience.ts';
import { ApiProblem } from '../api/problem.ts';
import type { Session } from '../api/session.ts';
import { CommandError, ExitStatus } from '../output/exit-status.ts';
import { print } from '../output/print.ts';
import { withProgress } from '../output/progress.ts';
import { factsOf } from '../output/table.ts';

type Result = Schemas['HandedOverAnswer'];

/** A quote of the file: `text` is its JSON, as `POST /api/payments` takes it. */
interface Entry {
  readonly line: number;
  readonly text: string;
}

/** Less than `POST /api/payments` takes: 500 quotes, 1 MiB. */
const PART = { quotes: 500, bytes: 1_000_000 };
/** How long the command continues while the provider's budget has no room for a quote, and while Paybell is away. */
const PATIENCE = { busyMs: 15 * 60_000, awayMs: 30_000, newKeyMs: 0 };
const QUOTE_AND_ORDER = /^([^\s,]+)(?:[\s,]+(.+))?$/;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Submits the quotes of a file, in parts, and prints the refused ones. */
export async function trackFile({ api, signal }: Session, file: string, isJson: boolean): Promise<void> {
  const entries = await readEntries(file);
  const counts = { created: 0, known: 0, refused: 0 };
  const settle = async ({ line }: Entry, result: Result): Promise<void> => {
    counts[result.result] += 1;
    if (isJson) await print(`${JSON.stringify(result)}\n`);
    else if (result.problem !== null) await print(`line ${line}: ${wordsOf(result)}\n`);
  };
  /** Returns the quotes for which the provider had no room; throws if it had room for none. */
  const handOver = async (part: readonly Entry[]): Promise<readonly Entry[]> => {
    const body = `{"payments":[${part.map(({ text }) => text).join(',')}]}`;
    const sent = { method: 'POST', body };
    const { data } = (await api.send<Schemas['HandOverAnswer']>('/api/payments', sent)).data;
    const isBusy = (_entry: Entry, at: number): boolean => data[at]?.problem?.status === 503;
    const busy = part.filter(isBusy);
    if (busy.length === part.length) throw busyProblem(data[0] as Result);
    for (const [at, entry] of part.entries()) if (!isBusy(entry, at)) await settle(entry, data[at] as Result);
    return busy;
  };
  const patience = new Patience(PATIENCE, signal);
  try {
    await withProgress('Handing over', entries.length, async (advance) => {
      for (const part of partsOf(entries))
        for (let left = part; left.length > 0;) {
          const busy = await patience.call(() => handOver(left));
          advance(left.length - busy.length);
          left = busy;
        }
    });
  } finally {
    if (!isJson) await print(factsOf(Object.entries(counts)));
  }
  if (counts.refused > 0) process.exitCode = ExitStatus.failed;
}

/** Throws CommandError for a line without a quote, before any quote is submitted. */
async function readEntries(file: string): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  try {
    const stream = file === '-' ? process.stdin : (await open(file)).createReadStream();
    let line = 0;
    for await (const bytes of linesOf(stream)) {
      line += 1;
      const text = bytes === null ? null : UTF8.decode(bytes).trim();
      if (text === '') continue;
      const entry = text === null ? null : entryIn(text);
      if (entry === null) throw new Error(`line ${line} is neither quoteId,orderId nor a JSON object`);
      entries.push({ line, text: entry });
    }
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`, undefined, {
      cause: error,
    });
  }
  return entries;
}

/**
 * Keeps JSON as text: parsing it could drop digits of a quote. Null for a line that is neither a JSON object nor a quote id.
 */
function entryIn(line: string): string | null {
  if (/^[[{"]/.test(line)) return isObject(line) ? line : null;
  const [, quoteId, orderId = null] = QUOTE_AND_ORDER.exec(line) ?? [];
  return quoteId === undefined ? null : JSON.stringify({ quoteId, orderId });
}

function isObject(text: string): boolean {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}

function* partsOf(entries: readonly Entry[]): Generator<readonly Entry[]> {
  let part: Entry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = Buffer.byteLength(entry.text) + 1;
    if (part.length > 0 && (part.length === PART.quotes || bytes + size > PART.bytes)) {
      yield part;
      [part, bytes] = [[], 0];
    }
    part.push(entry);
    bytes += size;
  }
  if (part.length > 0) yield part;
}

function busyProblem({ problem }: Result): ApiProblem {
  const { detail = '', status = 503, code = null, retryAfterSeconds = 1 } = problem ?? {};
  return new ApiProblem(`${detail} (${status} ${code})`, status, code, retryAfterSeconds * 1_000);
}

function wordsOf({ quoteId, problem }: Result): string {
  const { title, status, code, detail } = problem ?? {};
  return `${quoteId ?? 'no quoteId'}: ${title} (${status} ${code}): ${detail}`;
}
