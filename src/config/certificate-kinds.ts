import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { optional } from './kinds.ts';
import type { Refuse, Row, Setting } from './setting.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const MAX_PATH = 200;

const BY_CODE: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'this user may not read',
  EISDIR: 'is a folder',
};

/** The certificates of a file, as PEM. */
export function certificates(name: string, row: Row): Setting<string | null> {
  return optional(name, row, 'PEM file', (path, refuse) => readCertificates(path, 'names', refuse));
}

/** The path of a file with certificates. */
export function certificateFile(name: string, row: Row): Setting<string | null> {
  return optional(name, row, 'PEM file', (path, refuse) =>
    readCertificates(path, 'names', refuse) === undefined ? undefined : path,
  );
}

/**
 * Refuses a file without a readable certificate. `named` is the verb before its path: "names", or the parameter that has the
 * path.
 */
export function readCertificates(path: string, named: string, refuse: Refuse): string | undefined {
  const pem = readPem(path, named, refuse);
  if (pem === undefined) return undefined;
  const found = pem.match(CERTIFICATE) ?? [];
  if (found.length === 0)
    return refuse(`${named} ${shown(path)}, which has no certificate in PEM (-----BEGIN CERTIFICATE-----)`);
  return found.every(isReadable)
    ? pem
    : refuse(`${named} ${shown(path)}, which has a certificate that cannot be read`);
}

export function readPem(path: string, named: string, refuse: Refuse): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code = 'no code' } = error as NodeJS.ErrnoException;
    return refuse(`${named} ${shown(path)}, which ${BY_CODE[code] ?? 'cannot be read'} (${code})`);
  }
}

/** A key may have been pasted in place of the path. */
function shown(path: string): string {
  return path.includes('-----') ? 'a text in PEM instead of a file' : `"${path.slice(0, MAX_PATH)}"`;
}

function isReadable(certificate: string): boolean {
  try {
    return new X509Certificate(certificate).raw.length > 0;
  } catch {
    return false;
  }
}
