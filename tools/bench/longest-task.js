/** The longest task of a page's own thread, as Chromium reports it. */
import { settled } from '../../build/tools/testkit/scrolling.js';

/** @typedef {import('playwright-core').Page} Page */

/** Shorter tasks are not reported by the browser: what it says nothing of took at most so long. */
const UNREPORTED_MS = 50;

const WATCH = `(() => {
  window.longestTask = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longestTask = Math.max(window.longestTask, duration);
  }).observe({ type: 'longtask', buffered: true });
})()`;

/** From now on and for each page that is loaded: notes the longest task. @param {Page} page */
export async function watchTasks(page) {
  await page.addInitScript(WATCH);
  await page.evaluate(WATCH);
}

/** The longest task since the page was loaded, or since the last call, in milliseconds. @param {Page} page */
export async function longestTaskOf(page) {
  await settled(page);
  const longest = await page.evaluate('window.longestTask');
  await page.evaluate('window.longestTask = 0');
  return Math.max(Number(longest), UNREPORTED_MS);
}
