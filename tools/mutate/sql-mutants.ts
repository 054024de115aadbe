import { mutantAt, type Mutant } from './mutants.ts';

/** The replacements of each word or sign of a statement. */
const SWAPPED: readonly (readonly [RegExp, (found: string) => readonly string[]])[] = [
  [/(?<![<>!:=~|@&-])(?:<=|>=|<>|<|>|=)(?![<>=@~])/g, (sign) => COMPARED[sign] ?? []],
  [/\bAND\b/g, () => ['OR']],
  [/\bOR\b/g, () => ['AND']],
  [/\bIS NOT NULL\b/g, () => ['IS NULL']],
  [/\bIS NULL\b/g, () => ['IS NOT NULL']],
  [/\bNOT EXISTS\b/g, () => ['EXISTS']],
  [/\bFOR (?:NO KEY )?(?:UPDATE|SHARE)(?: OF \w+)?(?: SKIP LOCKED)?/g, () => ['']],
  [/ SKIP LOCKED\b/g, () => ['']],
  [/\btrue\b/g, () => ['false']],
  [/\bfalse\b/g, () => ['true']],
  [/\bleast(?=\()/g, () => ['greatest']],
  [/\bgreatest(?=\()/g, () => ['least']],
  [/\bmin(?=\()/g, () => ['max']],
  [/\bmax(?=\()/g, () => ['min']],
  [/\bDESC\b/g, () => ['ASC']],
  [/(?<= )\+(?= )/g, () => ['-']],
  [/(?<= )-(?= )/g, () => ['+']],
  [/(?<![\w$.'{-])\d+(?![\w.'}])/g, (number) => [String(Number(number) + 1)]],
];

const COMPARED: Readonly<Record<string, readonly string[]>> = {
  '<': ['<='],
  '<=': ['<'],
  '>': ['>='],
  '>=': ['>'],
  '=': ['<>'],
  '<>': ['='],
};

/** The text before a sign or word that is no operator, or before `OFFSET 0`, which only affects the plan. */
const NO_OPERATOR = [
  /(?:\bSET|,|\bDIAGNOSTICS|\bUSING)\s+\w+\s+(?==$)/,
  /\bSET\s*\([^)]*\)\s*(?==$)/,
  /\bBETWEEN\b(?:(?!\bAND\b).)*(?=AND$)/s,
  /\bOFFSET (?=0$)/,
];

/** All mutants of a function's body without its comments, in the order of their places. */
export function sqlMutantsOf(source: string): readonly Mutant[] {
  const body = source.replaceAll(/--.*$/gm, (comment) => ' '.repeat(comment.length));
  const from = body.indexOf('$$');
  const found = SWAPPED.flatMap(([pattern, after]) =>
    [...body.matchAll(pattern)].flatMap(({ 0: text, index }) => {
      const end = index + text.length;
      const upTo = body.slice(Math.max(0, end - 200), end);
      if (index < from || NO_OPERATOR.some((each) => each.test(upTo))) return [];
      return after(text).map((made) => mutantAt(source, { start: index, end, after: made, written: made }));
    }),
  );
  return found.toSorted((one, other) => one.start - other.start || one.end - other.end);
}
