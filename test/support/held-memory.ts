import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/**
 * Bytes that are really held, on the heap and beside it. RSS shows something else: from Node 24 on V8 lets the young
 * generation grow to 128 MiB whatever is alive in it.
 */
export async function heldBytes(): Promise<number> {
  collect();
  // What was collected frees its buffers and closes its handles in the next turns.
  await new Promise((resolve) => setTimeout(resolve, 100));
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
