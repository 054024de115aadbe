import { existsSync } from 'node:fs';

import { describe } from '@jest/globals';

/** Where Debian, Ubuntu and most others put it; CHROMIUM names another. */
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export const CHROMIUM = [process.env['CHROMIUM'] ?? '', ...PLACES].find((path) => existsSync(path)) ?? null;

/** A suite in a real browser; skipped, and named so, where there is none. */
export function describeWithChromium(name: string, suite: () => void): void {
  if (CHROMIUM === null) describe.skip(`${name} [skipped: Chromium is not installed]`, suite);
  else describe(name, suite);
}
