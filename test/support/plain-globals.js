import vm from 'node:vm';

import { TestEnvironment } from 'jest-environment-node';

/**
 * Jest's environment, but with the plain globals of a context of its own. Jest puts a proxy behind them, which is asked
 * at each `Math`, `Map` or `Number` of a test and of the code under it: what computes much takes up to four times as long.
 */
export default class PlainGlobals extends TestEnvironment {
  /** The blocks whose `beforeAll` has failed. */
  failed = new Set();

  constructor(...given) {
    const { createContext } = vm;
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(...given);
    } finally {
      vm.createContext = createContext;
    }
  }

  /** Jest runs no test after a `beforeAll` that failed, but the further ones of its block and of the blocks within. */
  handleTestEvent({ name, hook, describeBlock }) {
    if (name === 'hook_failure' && hook.type === 'beforeAll') this.failed.add(describeBlock);
    if (name === 'hook_start' && hook.type === 'beforeAll' && this.isWithinFailed(hook.parent))
      hook.fn = () => undefined;
  }

  isWithinFailed(block) {
    return block !== undefined && (this.failed.has(block) || this.isWithinFailed(block.parent));
  }
}
