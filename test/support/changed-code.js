import { transformSync } from '@swc/core';

const SOURCE = /\.tsx?$/;
/** The comments and types of these files become part of /openapi.json, and so of the build. */
const DESCRIBED = /\.(?:dto|entity|controller)\.ts$/;

/**
 * False for a source that differs only in types and comments, which no test can notice.
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
