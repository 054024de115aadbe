/** The parts of a Chromium page that this module uses. */
interface Page {
  evaluate<Result>(script: string): Promise<Result>;
  readonly mouse: { wheel(x: number, y: number): Promise<void> };
}

/** Waits two frames: the page's reaction to a step is over then, and its tasks are reported. */
const SETTLE =
  'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))';

/** Waits until the page's pending drawing is done. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(SETTLE);
}

/** Turns the wheel down `turns` times, as fast as the page draws. */
export async function scrollDown(page: Page, turns: number, pixels = 800): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    await page.mouse.wheel(0, pixels);
    await settled(page);
  }
}
