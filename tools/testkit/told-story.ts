import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** This file may be in tools/ or, compiled, in build/tools/. */
const ROOT = import.meta.url.replace(/(?:build\/)?tools\/testkit\/[^/]*$/, '');
const FOLDER = fileURLToPath(`${ROOT}docs/using/stories`);
/** Ids, times, and values that follow from the quote's id or time; of a proof, also its place and its sentences. */
const OWN =
  /^(?:id|source|time|subject|quoteId|orderId|metadata|depositAddress|from|refundedTo|transactions|block|confirmations|detail|.*(?:At|[hH]ash|Hashes))$/;

/** The events of a story of the sandbox, as docs/using/stories shows them. */
export interface ToldStory {
  readonly name: string;
  readonly events: readonly StoryEvent[];
}

export interface StoryEvent {
  readonly type: string;
  readonly time: string;
  readonly data: {
    readonly status: string;
    readonly reason?: string;
    readonly late: boolean;
    readonly verification?: { readonly state: string };
  };
}

/** A chain tells the stories of VERIFY=require. */
export function readToldStories(verify: 'off' | 'require' = 'off'): ToldStory[] {
  const folder = verify === 'off' ? FOLDER : `${FOLDER}/require`;
  return readdirSync(folder)
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => {
      const lines = readFileSync(`${folder}/${file}`, 'utf8').trimEnd().split('\n');
      const events = lines.map((line) => JSON.parse(line) as StoryEvent);
      return { name: file.replace('.jsonl', ''), events };
    });
}

/** `anomaly went_back`, `completed late` */
export function storyWord({ type, data: { reason, late } }: Omit<StoryEvent, 'time'>): string {
  return [type.replace('payment.', ''), reason, late ? 'late' : ''].filter(Boolean).join(' ');
}

/** The event as JSON, without the values that differ between payments of the same story. */
export function normalised(event: object): string {
  return JSON.stringify(event, (name, value: unknown) => {
    if (name === 'from' && typeof value === 'object') return value;
    return OWN.test(name) ? undefined : value;
  });
}
