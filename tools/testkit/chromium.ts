import { TOOLS } from './machine-tools.js';

/** The path of a Chromium; null where none is installed. */
export const CHROMIUM = TOOLS.chromium.find();

/** Under root, Chromium starts only without its sandbox; the pages are our own. */
export const CHROMIUM_ARGS = ['--no-sandbox'];
