import { describeWith } from '../describe-with.ts';

/** A suite in a real browser. */
export function describeWithChromium(name: string, suite: () => void): void {
  describeWith('chromium', name, suite);
}
