import { relative, sep } from 'node:path';

import Sequencer from '@jest/test-sequencer';

import { SLOW_FILES } from './slow-files.js';

/** The files with a browser, and how many others come between two of them: one browser is busy on a core and more. */
const WITH_BROWSER = /[\\/]e2e[\\/]dashboard[\\/]/;
const BETWEEN_BROWSERS = 3;

/**
 * Starts the longest files first, so that no worker ends the run alone with one of them, and those with a browser apart.
 * Times come from Jest's cache of former runs; in a fresh clone the list of slow files stands in for them.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const known = new Map(SLOW_FILES.map((name, index) => [name, index]));
    const order = (test) => {
      const name = relative(test.context.config.rootDir, test.path).replaceAll(sep, '/');
      return known.get(name) ?? SLOW_FILES.length;
    };
    // The former class reads the cache and sets each duration; its sort is stable for what follows.
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
