import axe from 'axe-core';
import type { Page } from 'playwright-core';

import { settled } from '../../../tools/testkit/scrolling.ts';

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

const NARROW = { width: 375, height: 800 };
const THUMB_PX = 36;
const WIDE = { width: 1_280, height: 900 };
/** axe's findings about a part of a page: the rules, with the parts at fault. */
async function violationsOf(page: Page, part: string, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source);
  // Only counts passed checks, which takes half the time.
  const options = { resultTypes: ['violations'], ...(rules === undefined ? {} : { runOnly: rules }) };
  const run = `window.axe.run(${JSON.stringify(part)}, ${JSON.stringify(options)})`;
  const { violations } = await page.evaluate<{ violations: Violation[] }>(run);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** How far a page can be scrolled sideways, in pixels. */
function sidewaysOf(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/**
 * The elements of a narrow page that reach beyond the window, seen or scrolled within a part; leaves out elements that are cut
 * off.
 */
export async function beyondOf(page: Page): Promise<string[]> {
  await page.setViewportSize(NARROW);
  await settled(page);
  return page.evaluate<string[]>(`
    [...document.querySelectorAll('main *')].flatMap((element) => {
      const { width, right } = element.getBoundingClientRect();
      if (width === 0 || right <= window.innerWidth + 1) return [];
      for (let part = element.parentElement; part !== null; part = part.parentElement)
        if (['hidden', 'clip'].includes(getComputedStyle(part).overflowX)) return [];
      return [\`to \${Math.round(right)} px: \${element.outerHTML.slice(0, 150)}\`];
    })`);
}

/** The parts of a wide page whose content is cut off or must be scrolled sideways; leaves out texts that end with an ellipsis. */
export async function cutOf(page: Page, width: number): Promise<string[]> {
  await page.setViewportSize({ ...WIDE, width });
  await settled(page);
  return page.evaluate<string[]>(`
    [...document.querySelectorAll('main *')].flatMap((part) => {
      const { overflowX, textOverflow, clipPath } = getComputedStyle(part);
      const isWhole = overflowX === 'visible' || textOverflow === 'ellipsis' || clipPath !== 'none';
      if (isWhole || part.scrollWidth <= part.clientWidth + 1) return [];
      return [\`\${part.scrollWidth} of \${part.clientWidth} px: \${part.outerHTML.slice(0, 150)}\`];
    })`);
}

/** The buttons that are too small for a thumb, or that reach beyond the window. */
function hardToPressOf(page: Page, part: string): Promise<string[]> {
  return page.evaluate<string[]>(`
    [...document.querySelectorAll(${JSON.stringify(`${part} [class*="_button_"]`)})].flatMap((button) => {
      const { width, height, left, right } = button.getBoundingClientRect();
      const isRight = height >= ${THUMB_PX} && left >= 0 && right <= window.innerWidth;
      return width === 0 || isRight ? [] : [\`hard to press, \${height} px high, to \${right} px: \${button.textContent}\`];
    })`);
}

/** The faults of a page or of a part of it in its present state: on a narrow window and on a wide one, in light and in dark. */
export async function faultsOf(page: Page, part = 'html'): Promise<string[]> {
  const faults: string[] = [];
  for (const size of [NARROW, WIDE]) {
    await page.setViewportSize(size);
    // Charts follow the window in the next frame.
    await settled(page);
    const sideways = await sidewaysOf(page);
    if (sideways > 0) faults.push(`can be scrolled sideways by ${sideways} px`);
    if (size === NARROW) faults.push(...(await hardToPressOf(page, part)));
    faults.push(...(await violationsOf(page, part)));
    await page.emulateMedia({ colorScheme: 'dark' });
    await settled(page);
    // Only colours differ in dark.
    faults.push(...(await violationsOf(page, part, ['color-contrast'])));
    await page.emulateMedia({ colorScheme: 'light' });
  }
  return [...new Set(faults)];
}
