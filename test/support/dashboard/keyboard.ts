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
