import { describe, it } from '@jest/globals';

import { TOOLS, type ToolName } from '../../tools/testkit/machine-tools.js';

/**
 * A suite that needs tools of this machine, and gets the path of the first. Without one of them its tests are skipped, and
 * count-reporter.js counts them by the mark in the name. With CI=true a missing tool is an error that names it.
 */
export function describeWith(
  tools: ToolName | readonly [ToolName, ...ToolName[]],
  name: string,
  suite: (path: string) => void,
): void {
  const [first, ...others] = [tools].flat() as [ToolName, ...ToolName[]];
  const path = TOOLS[first].find();
  const missing = path === null ? first : others.find((tool) => TOOLS[tool].find() === null);
  if (missing === undefined) return describe(name, () => suite(path ?? ''));
  describeWithout(missing, name, () => suite(''));
}

/** Replaces a suite whose tool is missing. `why` gives a reason beyond "not installed". */
export function describeWithout(
  tool: ToolName,
  name: string,
  suite: () => void,
  why = `${TOOLS[tool].title} is not on this machine: npm run test:tools -- ${tool}`,
): void {
  if (process.env['CI'] !== 'true') return describe.skip(`${name} [needs ${tool}]`, suite);
  it(`${name} has ${TOOLS[tool].title}`, () => {
    throw new Error(why);
  });
}
