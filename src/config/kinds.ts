import type { Refuse, Row, Setting } from './setting.ts';

const UNIT_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(\d{1,10}(?:\.\d{1,3})?)(ms|s|m|h|d)$/;
const MAX_DURATION_MS = 30 * 86_400_000;
const MAX_DURATIONS = 100;
const MAX_LENGTH = 1_000;
const MAX_ECHO = 20;
/** The form that CloudEvents require of a source: text after a scheme, or without a colon. */
const URI_REFERENCE = /^(?:[a-z][a-z0-9+.-]*:[\w.~/!$&'()*+,;=@:-]+|[\w.~/!$&'()*+,;=@-]+)$/i;
const HEADER_TEXT = /^[\x20-\x7e\xa0-\xff]*$/;

interface Bounds {
  readonly default: number;
  readonly min: number;
  readonly max: number;
}
type Parse<T> = (value: string, refuse: Refuse) => T | undefined;

/** A setting that has a default. */
export function withDefault<T>(
  name: string,
  row: Row & { readonly default: string },
  values: string,
  parse: Parse<T>,
): Setting<T> {
  // The default always exists and is valid.
  return { values, ...row, name, unset: undefined as T, parse };
}

/** A setting that may be unset; its value is then null. */
export function optional<T>(name: string, row: Row, values: string, parse: Parse<T>): Setting<T | null> {
  return { values, ...row, name, default: null, unset: null, parse };
}

/** A list separated by commas; empty if unset. */
export function list<T>(
  name: string,
  row: Row,
  values: string,
  parse: (words: readonly string[], refuse: Refuse) => T | undefined,
): Setting<T> {
  const parseList: Parse<T> = (value, refuse) => parse(wordsOf(value), refuse);
  return { values, ...row, name, default: null, unset: parse([], () => undefined) as T, parse: parseList };
}

export function text(
  name: string,
  row: Row & { readonly default: string; readonly maxLength?: number },
): Setting<string> {
  const { maxLength = MAX_LENGTH } = row;
  return withDefault(name, row, `≤ ${maxLength} characters`, (value, refuse) =>
    value.length <= maxLength ? value : refuse(`has ${value.length} characters, at most ${maxLength}`),
  );
}

export function integer(name: string, row: Row & Bounds): Setting<number> {
  return number(name, row, /^-?\d{1,15}$/, 'a whole number', 1);
}

/** A whole number of seconds; milliseconds in the code. */
export function seconds(name: string, row: Row & Bounds): Setting<number> {
  return number(name, row, /^-?\d{1,15}$/, 'a whole number', 1_000);
}

export function decimal(name: string, row: Row & Bounds): Setting<number> {
  return number(name, row, /^-?\d{1,12}(\.\d{1,6})?$/, 'a number', 1);
}

function number(name: string, row: Row & Bounds, form: RegExp, what: string, unit: number): Setting<number> {
  const { min, max } = row;
  const shown = { ...row, default: String(row.default) };
  return withDefault(name, shown, `\`${min}\` to \`${max}\``, (value, refuse) => {
    const given = form.test(value) ? Number(value) : Number.NaN;
    return given >= min && given <= max
      ? given * unit
      : refuse(`is ${echo(value)}, not ${what} from ${min} to ${max}`);
  });
}

export function flag(name: string, row: Row & { readonly default: boolean }): Setting<boolean> {
  const words = choice(name, ['true', 'false'], { ...row, default: row.default ? 'true' : 'false' });
  return { ...words, unset: false, parse: (value, refuse) => isTrue(words.parse(value, refuse)) };
}

function isTrue(word: string | undefined): boolean | undefined {
  return word === undefined ? undefined : word === 'true';
}

export function choice<const T extends string>(
  name: string,
  choices: readonly T[],
  row: Row & { readonly default: NoInfer<T> },
): Setting<T> {
  return withDefault(
    name,
    row,
    codes(choices),
    (value, refuse) =>
      choices.find((each) => each === value) ??
      refuse(`is ${echo(value)}, not one of: ${choices.join(', ')}`),
  );
}

/** Some of the choices, separated by commas; by default all. */
export function set<const T extends string>(
  name: string,
  choices: readonly T[],
  row: Row,
): Setting<ReadonlySet<T>> {
  return withDefault(name, { ...row, default: choices.join(',') }, 'a list of these', (value, refuse) => {
    const words = wordsOf(value);
    const unknown = words.find((word) => !choices.includes(word as T));
    if (unknown !== undefined)
      return refuse(`has ${echo(unknown)}, which is not one of: ${choices.join(', ')}`);
    return new Set(words.length === 0 ? choices : (words as T[]));
  });
}

/** Different choices in a significant order, separated by commas; none if unset and without a default. */
export function ranking(
  name: string,
  choices: readonly string[],
  row: Row & { readonly default?: string },
): Setting<readonly string[]> {
  const { default: byDefault = null, ...others } = row;
  const words = list(
    name,
    others,
    `a list of ${codes(choices)}`,
    (given, refuse): readonly string[] | undefined => {
      const unknown = given.find((word) => !choices.includes(word));
      if (unknown !== undefined)
        return refuse(`has ${echo(unknown)}, which is not one of: ${choices.join(', ')}`);
      if (given.length === 0 && byDefault !== null) return refuse('names none');
      return new Set(given).size === given.length ? given : refuse('has a word twice');
    },
  );
  return { ...words, default: byDefault };
}

export function uriReference(name: string, row: Row & { readonly default: string }): Setting<string> {
  return withDefault(name, row, 'a URI reference', (value, refuse) => {
    if (value.length > MAX_LENGTH) return refuse(`has ${value.length} characters, at most ${MAX_LENGTH}`);
    return URI_REFERENCE.test(value)
      ? value
      : refuse('is no URI reference, such as `paybell` or `https://shop.example/pay`');
  });
}

export function durations(name: string, row: Row & { readonly default: string }): Setting<readonly number[]> {
  const values = `up to ${MAX_DURATIONS} of up to \`30d\``;
  return withDefault(name, row, values, (value, refuse) => {
    const words = value.split(',').map((word) => word.trim());
    const waits = words.map(milliseconds);
    const bad = waits.findIndex((wait) => !(wait >= 0 && wait <= MAX_DURATION_MS));
    if (bad >= 0) refuse(`has "${words[bad]}", which is not a duration up to 30d such as 500ms, 5s, 2m, 1h`);
    if (waits.length > MAX_DURATIONS) refuse(`has ${waits.length} durations, at most ${MAX_DURATIONS}`);
    return waits;
  });
}

function milliseconds(duration: string): number {
  const [, amount, unit = ''] = DURATION.exec(duration) ?? [];
  return Number(amount) * (UNIT_MS[unit] ?? Number.NaN);
}

/** Text for an HTTP header, in which any other character would make each request fail. */
export function headerText(name: string, row: Row): Setting<string | null> {
  return optional(name, row, 'text', (value, refuse) =>
    HEADER_TEXT.test(value)
      ? value
      : refuse('has characters that no HTTP header can carry, such as a line break'),
  );
}

export function codes(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(', ');
}

function wordsOf(value: string): string[] {
  return value
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** Quotes the beginning of a refused value: the whole value may be a secret in the wrong variable. */
function echo(value: string): string {
  return `"${value.length > MAX_ECHO ? `${value.slice(0, MAX_ECHO)}…` : value}"`;
}
