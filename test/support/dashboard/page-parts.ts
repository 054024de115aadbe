import type { Locator, Page } from 'playwright-core';

/** The row of a table that has this text. */
export function rowOf(page: Page, text: string): Locator {
  return page.getByRole('row').filter({ hasText: text });
}

/** A name with its value, as in “Last asked: 12:00:01”. */
export function factOf(page: Page, name: string): Locator {
  const term = page.getByRole('term').filter({ hasText: new RegExp(`^${name}$`) });
  return page.locator('dl > div').filter({ has: term });
}

/** Why a button may not be used; null where it may. */
export async function reasonOf(page: Page, name: string): Promise<string | null> {
  const button = page.getByRole('button', { name }).first();
  if ((await button.getAttribute('aria-disabled')) !== 'true') return null;
  return button.getAttribute('title');
}

export function clipboardOf(page: Page): Promise<string> {
  return page.evaluate<string>('navigator.clipboard.readText()');
}
