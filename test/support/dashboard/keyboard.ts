import { expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';

const MOST_STOPS = 120;
/**
 * The element whose focus is invisible; empty if there is none. The focus ring may be on an element that covers or surrounds
 * it.
 */
const UNSEEN = `(() => {
  const at = document.activeElement;
  if (at === null || at === document.body) return '';
  const isMark = ({ outlineStyle, outlineWidth, boxShadow }) =>
    (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2) || boxShadow !== 'none';
  const styles = [getComputedStyle(at), getComputedStyle(at, '::after'), getComputedStyle(at.parentElement)];
  const { width, height } = at.getBoundingClientRect();
  return styles.some(isMark) && width > 0 && height > 0 ? '' : at.outerHTML.slice(0, 200);
})()`;

/** The controls of the content that Tab must reach, in the order of the page; a radio group is one stop. */
const CONTROLS = `[...document.querySelectorAll('main :is(a[href], button, input, select, textarea, summary, [tabindex="0"])')]
  .filter((control) => control.tabIndex >= 0 && control.checkVisibility({ visibilityProperty: true }))`;
/** The focused control's place in CONTROLS and on the page; null outside the content. */
const STOP = `(() => {
  const { activeElement: at } = document;
  if (at === null || at.closest('main') === null || at.id === 'content') return null;
  const { top, bottom, left, right } = at.getBoundingClientRect();
  return { place: ${CONTROLS}.indexOf(at), name: at.innerText || at.outerHTML.slice(0, 80), top: top + scrollY, bottom: bottom + scrollY, left, right };
})()`;

interface Stop {
  readonly place: number;
  readonly name: string;
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

/** Whether a person who reads by lines, and by columns from the left, comes to the second one later. */
function isReadInOrder(one: Stop, other: Stop): boolean {
  return other.bottom > one.top || other.left >= one.right;
}

/** A person who has no mouse. */
export class Keyboard {
  constructor(private readonly page: Page) {}

  /** Presses Tab until this element has the focus; the focus must be visible at each stop on the way. */
  async tabTo(target: Locator): Promise<void> {
    await target.waitFor();
    for (let stop = 0; stop < MOST_STOPS; stop += 1) {
      if (await this.isAt(target)) return;
      await this.press('Tab');
      expect(await this.page.evaluate<string>(UNSEEN)).toBe('');
    }
    throw new Error(`${String(target)} is not reached by Tab`);
  }

  /** Moves the focus to a button or link of this name and presses it. */
  async use(role: 'button' | 'link' | 'tab', name: string | RegExp): Promise<void> {
    await this.tabTo(this.page.getByRole(role, { name, exact: typeof name === 'string' }).first());
    await this.press('Enter');
  }

  /** Moves the focus to a field of this label and types. */
  async fill(label: string, text: string): Promise<void> {
    await this.tabTo(this.page.getByLabel(label, { exact: true }));
    await this.type(text);
  }

  async press(key: string): Promise<void> {
    await this.page.keyboard.press(key);
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
  }

  /** Presses Tab through the whole content; expects each control in reading order, and the focus to be visible at each. */
  async expectThroughContent(): Promise<void> {
    await this.press('Tab');
    await this.expectAt(this.page.getByRole('link', { name: 'Skip to the content' }));
    await this.press('Enter');
    await this.press('Tab');
    const stops: Stop[] = [];
    let stop = await this.page.evaluate<Stop | null>(STOP);
    while (stop !== null && stops.length < MOST_STOPS) {
      expect(await this.page.evaluate<string>(UNSEEN)).toBe('');
      stops.push(stop);
      await this.press('Tab');
      stop = await this.page.evaluate<Stop | null>(STOP);
    }
    expect(stops.length).toBe(await this.page.evaluate<number>(`${CONTROLS}.length`));
    expect(stops.map(({ place }) => place)).toEqual([...stops.keys()]);
    const jumps = stops.filter((each, index) => index > 0 && !isReadInOrder(stops[index - 1] ?? each, each));
    expect(jumps.map(({ name }) => name)).toEqual([]);
  }

  private async isAt(target: Locator): Promise<boolean> {
    return (await this.focused(target).count()) > 0;
  }

  /** Expects the focus here within a moment: it must not get lost when a part of the page closes. */
  async expectAt(target: Locator): Promise<void> {
    await this.focused(target).waitFor();
  }

  private focused(target: Locator): Locator {
    return target.and(this.page.locator(':focus'));
  }
}
