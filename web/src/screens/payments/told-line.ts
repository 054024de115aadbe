import { shortFailure } from '../../../../src/domain/story/failure-words.ts';
import type { Delivery } from '../../api/types.ts';
import type { Tone } from '../../format/words.ts';

/** The first event of a payment that a destination has not acknowledged, or else the last one. */
export interface SentTo {
  readonly name: string;
  readonly sent: Pick<Delivery, 'state' | 'attemptCount' | 'lastFailure' | 'lastHttpStatus'> & {
    readonly waitingFor: string | null;
  };
}

interface Told {
  readonly name: string;
  readonly tone: Tone;
  /** A verb about the destination: `refuses 503 ×3`. */
  readonly words: string;
}

/** The cell in one line: `told · 2`, or the destination with the worst trouble and the number of others. */
interface ToldLine {
  readonly tone: Tone;
  /** Null where the words are about all destinations. */
  readonly name: string | null;
  readonly words: string;
  readonly rest: string;
  /** All destinations, each on its own line. */
  readonly hint: string;
}

export function toldLine(sentTo: readonly SentTo[]): ToldLine {
  const all = sentTo.map(toldTo).sort((one, other) => rank(one) - rank(other));
  const [worst] = all;
  if (worst === undefined)
    return {
      tone: 'bad',
      name: null,
      words: 'no receiver',
      rest: '',
      hint: 'No destination gets its events.',
    };
  const hint = all.map(({ name, words }) => `${name} ${words}`).join('\n');
  if (worst.tone === 'ok') return { tone: 'ok', name: null, words: 'told', rest: `· ${all.length}`, hint };
  const others = all.filter(({ tone }) => tone !== 'ok').length - 1;
  return { ...worst, rest: others > 0 ? `+${others} more` : '', hint };
}

function rank({ tone }: Told): number {
  return ['bad', 'busy'].indexOf(tone) + 1 || 3;
}

const WAITS: Readonly<Record<string, string>> = {
  circuit: 'is down',
  broker: 'is away',
  disabled_endpoint: 'is disabled',
  secret_unreadable: 'has an unreadable secret',
};

function toldTo({ name, sent }: SentTo): Told {
  const { state, attemptCount, lastFailure, lastHttpStatus, waitingFor } = sent;
  if (state === 'delivered') return { name, tone: 'ok', words: 'told' };
  if (state === 'discarded') return { name, tone: 'bad', words: 'was disabled' };
  const waits = WAITS[waitingFor ?? ''];
  if (lastFailure === null)
    return waits === undefined
      ? { name, tone: 'busy', words: 'under way' }
      : { name, tone: 'bad', words: waits };
  const times = attemptCount > 1 ? ` ×${attemptCount}` : '';
  const end = state === 'failed' ? ', given up' : '';
  return { name, tone: 'bad', words: `${shortFailure(lastFailure, lastHttpStatus)}${times}${end}` };
}
