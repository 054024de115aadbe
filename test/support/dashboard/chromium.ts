import { describe } from '@jest/globals';

import { CHROMIUM } from '../../../tools/testkit/chromium.ts';

/** A suite in a real browser; skipped, and named so, where there is none. */
export function describeWithChromium(name: string, suite: () => void): void {
  if (CHROMIUM === null) describe.skip(`${name} [skipped: Chromium is not installed]`, suite);
  else describe(name, suite);
}
