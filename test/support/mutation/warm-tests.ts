/** What is read of the tests that Jest has collected from a file. */
export interface Block {
  readonly type: 'describeBlock';
  readonly name: string;
  readonly children: readonly (Block | Test)[];
  readonly hooks: Hook[];
}

export interface Test {
  readonly type: 'test';
  readonly name: string;
  readonly concurrent: boolean;
  readonly fn: Run | undefined;
  readonly errors: readonly unknown[];
  /** Set to `skip`, it does not run. */
  mode?: string | null | undefined;
}

export interface Hook {
  readonly type: 'beforeAll' | 'beforeEach' | 'afterEach' | 'afterAll';
  readonly fn: Run;
}

type Run = (this: object) => unknown;

/**
 * Runs chosen tests of a loaded file once more, with their hooks, up to the first that fails. Returns how it fails; null: all
 * have passed. What the file sets up for all its tests stays.
 */
export async function repeat(
  root: Block,
  chosen: ReadonlySet<Test>,
  withinMs: number,
): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('takes too long')), withinMs);
  });
  try {
    await Promise.race([runChildren(root, chosen, [root]), late]);
    return null;
  } catch (error) {
    return String(error);
  } finally {
    clearTimeout(timer);
  }
}

/** The tests of a block and of those within it. */
export function testsIn(block: Block): readonly Test[] {
  return block.children.flatMap((child) => (child.type === 'test' ? [child] : testsIn(child)));
}

async function runBlock(block: Block, chosen: ReadonlySet<Test>, outer: readonly Block[]): Promise<void> {
  if (!testsIn(block).some((test) => chosen.has(test))) return;
  const path = [...outer, block];
  try {
    await runHooks([block], 'beforeAll');
    await runChildren(block, chosen, path);
  } finally {
    await runHooks([block], 'afterAll');
  }
}

async function runChildren(block: Block, chosen: ReadonlySet<Test>, path: readonly Block[]): Promise<void> {
  for (const child of block.children) {
    if (child.type === 'describeBlock') await runBlock(child, chosen, path);
    else if (chosen.has(child)) await runTest(child, path);
  }
}

async function runTest(test: Test, path: readonly Block[]): Promise<void> {
  try {
    await runHooks(path, 'beforeEach');
    await test.fn?.call({});
  } finally {
    await runHooks(path.toReversed(), 'afterEach');
  }
}

async function runHooks(blocks: readonly Block[], type: Hook['type']): Promise<void> {
  for (const hook of blocks.flatMap(({ hooks }) => hooks)) if (hook.type === type) await hook.fn.call({});
}
