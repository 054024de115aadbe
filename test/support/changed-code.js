import { transformSync } from '@swc/core';

const SOURCE = /\.tsx?$/;
/** Their comments and types become part of /openapi.json, and so of the build. */
const DESCRIBED = /\.(?:dto|entity|controller)\.ts$/;

/**
 * False for a source that differs in types and comments alone: no test can tell.
 *
 * @param {string} path
 * @param {string | null} before null: the file is new
 * @param {string | null} now null: it was removed
 */
export function isOtherCode(path, before, now) {
  if (before === null || now === null || !SOURCE.test(path) || DESCRIBED.test(path)) return true;
  return codeOf(path, before) !== codeOf(path, now);
}

/**
 * @param {string} path
 * @param {string} text
 */
function codeOf(path, text) {
  return transformSync(text, {
    configFile: false,
    swcrc: false,
    minify: true,
    jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: true, tsx: path.endsWith('x') } },
  }).code;
}
