import { createHmac } from 'node:crypto';

import type { Config } from '../../config/config.ts';
import type { Setting } from '../../config/setting.ts';
import { KEYED, UNSET } from '../../domain/replicas/disagreements.ts';

/** Enough digits to tell two values apart, and too few to reveal more. */
const SHOWN_DIGITS = 12;
/** Stands for a secret if there is no key: such a process has a database of its own, and no other process to agree with. */
const SET = 'set';

/** Fingerprints of the settings that must agree and that a process with these roles uses. They reveal no value. */
export function fingerprintsOf({ settings, roles, encryptionKey }: Config): Record<string, string> {
  const used = settings.filter(({ setting }) => setting.agreed?.some((role) => roles.has(role)));
  return Object.fromEntries(
    used.map(({ setting, value }) => [setting.name, fingerprintOf(setting, value, encryptionKey)]),
  );
}

/** A weak secret could be guessed from a plain hash, so its fingerprint is made with ENCRYPTION_KEY. */
function fingerprintOf(setting: Setting, value: unknown, encryptionKey: Buffer | null): string {
  if (value === null) return UNSET;
  if (setting.isAgreedByPresence === true) return SET;
  const { name, isSecret = false } = setting;
  // ENCRYPTION_KEY itself is too strong to be guessed.
  if (!isSecret || value === encryptionKey) return digest(name, value, '');
  if (encryptionKey === null) return SET;
  return `${digest('key', encryptionKey, '')}${KEYED}${digest(name, value, encryptionKey)}`;
}

function digest(name: string, value: unknown, key: Buffer | string): string {
  const hmac = createHmac('sha256', key).update(`${name} ${JSON.stringify(comparable(value))}`);
  return hmac.digest('hex').slice(0, SHOWN_DIGITS);
}

/** The value as JSON; lists whose order has no meaning are sorted. */
function comparable(value: unknown): unknown {
  return value instanceof Map
    ? [...value].toSorted(([one], [other]) => String(one).localeCompare(String(other)))
    : value;
}
