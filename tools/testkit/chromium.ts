import { existsSync } from 'node:fs';

/** Where Debian, Ubuntu and most others put it; CHROMIUM names another. The first is the same without a window, and lighter. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** The path of a Chromium; null where none is installed. */
export const CHROMIUM = [process.env['CHROMIUM'] ?? '', ...PLACES].find((path) => existsSync(path)) ?? null;

/** As root, Chromium starts only without its sandbox; the pages are our own. */
export const CHROMIUM_ARGS = ['--no-sandbox'];
