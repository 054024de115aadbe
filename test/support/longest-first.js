import { relative, sep } from 'node:path';

import Sequencer from '@jest/test-sequencer';

import { SLOW_FILES } from './slow-files.js';

/** The files with a browser, and the number of other files between two of them: one browser keeps more than a core busy. */
const WITH_BROWSER = /[\\/]e2e[\\/]dashboard[\\/]/;
const BETWEEN_BROWSERS = 3;

/**
 * Starts the longest files first, so that no worker ends the run alone with a long file, and spreads those with a browser.
 * Times come from Jest's cache of former runs; in a fresh clone the list of slow files replaces them.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const known = new Map(SLOW_FILES.map((name, index) => [name, index]));
    const order = (test) => {
      const name = relative(test.context.config.rootDir, test.path).replaceAll(sep, '/');
      return known.get(name) ?? SLOW_FILES.length;
    };
    // The base class reads the cache and sets each duration; its sort keeps the order of equal files.
    const byCache = super.sort(tests);
    if (byCache.every((test) => test.duration !== undefined)) return apart(byCache);
    return apart([...byCache].sort((a, b) => order(a) - order(b)));
  }
}

function apart(tests) {
  const browsers = tests.filter(({ path }) => WITH_BROWSER.test(path));
  const others = tests.filter(({ path }) => !WITH_BROWSER.test(path));
  return browsers
    .flatMap((browser, index) => {
      const from = index * BETWEEN_BROWSERS;
      return [browser, ...others.slice(from, from + BETWEEN_BROWSERS)];
    })
    .concat(others.slice(browsers.length * BETWEEN_BROWSERS));
}
