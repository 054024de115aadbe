import { runCLI } from 'jest';

import { jestConfig } from './jest-config.ts';
import { beginSession, type Task } from './session.ts';

/** Runs Jest once, in this process, for the task that the parent sends. */
process.once('message', (task: Task) => {
  void work(task);
});

async function work(task: Task): Promise<void> {
  beginSession(task, (report) => process.send?.(report));
  const root = process.cwd();
  const argv = {
    _: [...task.files],
    $0: 'mutate',
    findRelatedTests: true,
    runInBand: true,
    config: JSON.stringify(await jestConfig(root)),
  };
  await runCLI(argv, [root]);
  process.disconnect();
}
