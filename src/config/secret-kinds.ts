import { list, optional } from './kinds.ts';
import type { Refuse, Row, Setting } from './setting.ts';

/** Equal to the domain's roles, which this folder must not import; a test compares them. */
const KEY_ROLES = ['shop', 'viewer', 'operator', 'admin'] as const;

interface NamedKey {
  readonly name: string;
  readonly secret: string;
  readonly role: (typeof KEY_ROLES)[number];
}

/** A key of 32 bytes, in base64. */
export function key32(name: string, row: Row): Setting<Buffer | null> {
  return optional(name, row, '32 bytes, base64', (value, refuse) => {
    const key = Buffer.from(value, 'base64');
    return key.length === 32 && /^[A-Za-z0-9+/_-]+={0,2}$/.test(value)
      ? key
      : refuse('is not 32 bytes in base64, as `openssl rand -base64 32` prints them');
  });
}

/** Keys with their names and roles. Null: there is none. */
export function namedKeys(name: string, row: Row): Setting<readonly NamedKey[] | null> {
  return list<readonly NamedKey[] | null>(name, row, '`name:secret:role,…`', (words, refuse) =>
    words.length === 0 ? null : checked(words.map(namedKeyOf), refuse),
  );
}

function checked(keys: readonly NamedKey[], refuse: Refuse): readonly NamedKey[] {
  if (keys.some((key) => !/^[\w.-]{1,64}$/.test(key.name) || key.secret === ''))
    refuse('is not a list of name:secret pairs, separated by commas');
  if (new Set(keys.map((key) => key.name)).size < keys.length) refuse('has one name twice');
  if (keys.some(({ secret, role }) => keys.some((other) => other.secret === secret && other.role !== role)))
    refuse('has one secret with two roles');
  return keys;
}

/** Reads `name:secret` or `name:secret:role`; a last part that is no role belongs to the secret. */
function namedKeyOf(word: string): NamedKey {
  const [name = '', ...parts] = word.split(':');
  const last = parts.length > 1 ? parts.at(-1)?.trim() : undefined;
  const role = KEY_ROLES.find((each) => each === last);
  const secret = role === undefined ? parts : parts.slice(0, -1);
  return { name: name.trim(), secret: secret.join(':').trim(), role: role ?? 'admin' };
}
