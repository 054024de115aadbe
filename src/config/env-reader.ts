import { isIP } from 'node:net';

import ipaddr from 'ipaddr.js';

import { misspeltNames } from './misspelt-names.ts';

/** The words of the domain's roles, of which this folder imports nothing; a test compares them. */
const KEY_ROLES = ['shop', 'viewer', 'operator', 'admin'] as const;

/** The form that CloudEvents require of a source: text after a scheme, or without a colon. */
const URI_REFERENCE = /^(?:[a-z][a-z0-9+.-]*:[\w.~/!$&'()*+,;=@:-]+|[\w.~/!$&'()*+,;=@-]+)$/i;

export interface NamedKey {
  readonly name: string;
  readonly secret: string;
  readonly role: (typeof KEY_ROLES)[number];
}

const UNIT_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const MAX_DURATION_MS = 30 * 86_400_000;
const MAX_DURATIONS = 100;
const MAX_ECHO = 20;

/** One message about all invalid variables. It never contains a secret. */
export class InvalidConfig extends Error {
  constructor(problems: readonly string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
  }
}

/** Reads environment variables and collects all their problems instead of stopping at the first. */
export class EnvReader {
  readonly problems: string[] = [];
  private readonly refused = new Set<string>();
  /** Every name that was read, which are all settings. */
  private readonly known = new Set<string>();

  constructor(private readonly env: Readonly<Record<string, string | undefined>>) {}

  refuse(name: string, problem: string): void {
    this.refused.add(name);
    this.problems.push(`${name} ${problem}`);
  }

  isRefused(name: string): boolean {
    return this.refused.has(name);
  }

  /** An empty variable counts as unset, as it does in compose files. */
  optional(name: string): string | null {
    this.known.add(name);
    const value = this.env[name]?.trim();
    return value === undefined || value === '' ? null : value;
  }

  /** Refuses variables whose names resemble a setting. Call it after all settings were read. */
  refuseMisspelt(): void {
    for (const { name, meant } of misspeltNames(this.env, this.known))
      this.refuse(name, `is not a setting: did you mean ${meant}?`);
  }

  text(name: string, fallback: string, maxLength = 1_000): string {
    const value = this.optional(name) ?? fallback;
    if (value.length > maxLength) this.refuse(name, `has ${value.length} characters, at most ${maxLength}`);
    return value;
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    return this.number(name, fallback, min, max, /^-?\d{1,15}$/, 'a whole number');
  }

  decimal(name: string, fallback: number, min: number, max: number): number {
    return this.number(name, fallback, min, max, /^-?\d{1,12}(\.\d{1,6})?$/, 'a number');
  }

  flag(name: string, fallback: boolean): boolean {
    return this.choice(name, fallback ? 'true' : 'false', ['true', 'false']) === 'true';
  }

  choice<T extends string>(name: string, fallback: T, choices: readonly T[]): T {
    const value = this.optional(name);
    if (value === null) return fallback;
    if (choices.includes(value as T)) return value as T;
    this.refuse(name, `is ${echo(value)}, not one of: ${choices.join(', ')}`);
    return fallback;
  }

  set<T extends string>(name: string, choices: readonly T[]): ReadonlySet<T> {
    const words = this.list(name);
    const unknown = words.find((word) => !choices.includes(word as T));
    if (unknown !== undefined)
      this.refuse(name, `has ${echo(unknown)}, which is not one of: ${choices.join(', ')}`);
    return new Set(words.length === 0 ? choices : (words as T[]));
  }

  /** The value may hold a password: messages do not repeat it. */
  url(name: string, protocols: readonly string[]): string | null {
    const value = this.optional(name);
    if (value === null) return null;
    const protocol = URL.canParse(value) ? new URL(value).protocol : '';
    if (protocols.includes(protocol)) return value;
    this.refuse(name, `is not a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`);
    return null;
  }

  uriReference(name: string, fallback: string): string {
    const value = this.text(name, fallback);
    if (!URI_REFERENCE.test(value))
      this.refuse(name, 'is no URI reference, such as `paybell` or `https://shop.example/pay`');
    return value;
  }

  durations(name: string, fallback: string): number[] {
    const words = (this.optional(name) ?? fallback).split(',').map((word) => word.trim());
    const waits = words.map((word) => {
      const match = /^(\d{1,10}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(word);
      return match === null ? Number.NaN : Number(match[1]) * (UNIT_MS[match[2] ?? ''] ?? Number.NaN);
    });
    const bad = waits.findIndex((wait) => !(wait >= 0 && wait <= MAX_DURATION_MS));
    if (bad >= 0)
      this.refuse(name, `has "${words[bad]}", which is not a duration up to 30d such as 500ms, 5s, 2m, 1h`);
    if (waits.length > MAX_DURATIONS)
      this.refuse(name, `has ${waits.length} durations, at most ${MAX_DURATIONS}`);
    return waits;
  }

  cidrs(name: string): string[] {
    const words = this.list(name);
    for (const word of words) {
      // ipaddr.js alone parses 10/8 as 0.0.0.10/8 and 010.0.0.0/8 as octal, and drops the zone of an address.
      const address = word.slice(0, word.lastIndexOf('/'));
      if (!ipaddr.isValidCIDR(word) || isIP(address) === 0 || address.includes('%'))
        this.refuse(name, `has "${word}", which is not an address range such as ${rangeLike(word)}`);
    }
    return words;
  }

  namedKeys(name: string): NamedKey[] | null {
    const words = this.list(name);
    if (words.length === 0) return null;
    const keys = words.map(namedKeyOf);
    if (keys.some((key) => !/^[\w.-]{1,64}$/.test(key.name) || key.secret === ''))
      this.refuse(name, 'is not a list of name:secret pairs, separated by commas');
    if (new Set(keys.map((key) => key.name)).size < keys.length) this.refuse(name, 'has one name twice');
    if (keys.some(({ secret, role }) => keys.some((other) => other.secret === secret && other.role !== role)))
      this.refuse(name, 'has one secret with two roles');
    return keys;
  }

  key32(name: string): Buffer | null {
    const value = this.optional(name);
    if (value === null) return null;
    const key = Buffer.from(value, 'base64');
    if (key.length === 32 && /^[A-Za-z0-9+/_-]+={0,2}$/.test(value)) return key;
    this.refuse(name, 'is not 32 bytes in base64, as `openssl rand -base64 32` prints them');
    return null;
  }

  private number(
    name: string,
    fallback: number,
    min: number,
    max: number,
    form: RegExp,
    what: string,
  ): number {
    const value = this.optional(name);
    if (value === null) return fallback;
    const number = form.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    this.refuse(name, `is ${echo(value)}, not ${what} from ${min} to ${max}`);
    return fallback;
  }

  private list(name: string): string[] {
    const words = (this.optional(name) ?? '').split(',').map((word) => word.trim());
    return words.filter((word) => word !== '');
  }
}

/** `name:secret` or `name:secret:role`: a last part that is no role belongs to the secret. */
function namedKeyOf(word: string): NamedKey {
  const [name = '', ...parts] = word.split(':');
  const last = parts.length > 1 ? parts.at(-1)?.trim() : undefined;
  const role = KEY_ROLES.find((each) => each === last);
  const secret = role === undefined ? parts : parts.slice(0, -1);
  return { name: name.trim(), secret: secret.join(':').trim(), role: role ?? 'admin' };
}

/** Quotes the beginning of a refused value; the whole value may be a secret in the wrong variable. */
function echo(value: string): string {
  return `"${value.length > MAX_ECHO ? `${value.slice(0, MAX_ECHO)}…` : value}"`;
}

/** An example of a valid range; for a single address, that address with its mask. */
function rangeLike(word: string): string {
  const version = word.includes('%') ? 0 : isIP(word);
  return version === 0 ? '10.0.0.0/8' : `${word}/${version === 4 ? 32 : 128}`;
}
