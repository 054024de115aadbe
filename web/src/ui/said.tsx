import { partsOf } from '../format/sentence.ts';
import { Time } from './time.tsx';

/** A sentence of the API, with its times and numbers as the pages write them. */
export function Said({ text }: { text: string }) {
  return partsOf(text).map(({ kind, text: part }, index) => {
    // eslint-disable-next-line react/no-array-index-key -- the parts of a text do not move
    if (kind === 'code') return <code key={index}>{part}</code>;
    // eslint-disable-next-line react/no-array-index-key -- the parts of a text do not move
    return kind === 'time' ? <Time key={index} at={part} /> : part;
  });
}
