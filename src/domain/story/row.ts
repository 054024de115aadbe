import type { Standing, Telling } from './standing.ts';

/** The condition of a sentence: the values that fit, in some of the fields of a standing. Of the oddities, one must fit. */
export type When = {
  readonly [Field in keyof Standing]?: Standing[Field] extends readonly (infer One)[]
    ? readonly One[]
    : readonly Standing[Field][];
};

/** Words for the payments that stand so; empty words leave the place to a later row. */
export interface Row {
  readonly when: When;
  readonly say: string | ((telling: Telling) => string);
}

export function fits(when: When, standing: Standing): boolean {
  return (Object.entries(when) as [keyof Standing, readonly unknown[]][]).every(([field, values]) =>
    [standing[field]].flat().some((value) => values.includes(value)),
  );
}

/** Empty where the row does not fit. */
export function wordsOf({ when, say }: Row, telling: Telling): string {
  if (!fits(when, telling.standing)) return '';
  return typeof say === 'string' ? say : say(telling);
}
