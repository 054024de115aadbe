import vm from 'node:vm';

import { TestEnvironment } from 'jest-environment-node';

/**
 * Jest's environment, but with the plain globals of a context of its own. Jest puts a proxy behind them, which is asked
 * at each `Math`, `Map` or `Number` of a test and of the code under it: what computes much takes up to four times as long.
 */
export default class PlainGlobals extends TestEnvironment {
  constructor(...given) {
    const { createContext } = vm;
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(...given);
    } finally {
      vm.createContext = createContext;
    }
  }
}
