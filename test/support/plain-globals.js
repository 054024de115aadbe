import vm from 'node:vm';

import { TestEnvironment } from 'jest-environment-node';

/**
 * Jest's environment with the plain globals of its own context. Jest puts a proxy behind them, which each use of `Math`, `Map`
 * or `Number` asks: code that computes much takes up to four times as long.
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

  /**
   * After a failed `beforeAll`, Jest runs no test, but the further `beforeAll` hooks of the block and of the blocks within.
   */
  handleTestEvent({ name, hook, describeBlock }) {
    if (name === 'hook_failure' && hook.type === 'beforeAll') this.failed.add(describeBlock);
    if (name === 'hook_start' && hook.type === 'beforeAll' && this.isWithinFailed(hook.parent))
      hook.fn = () => undefined;
  }

  isWithinFailed(block) {
    return block !== undefined && (this.failed.has(block) || this.isWithinFailed(block.parent));
  }
}
