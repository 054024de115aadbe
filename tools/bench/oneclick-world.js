/** 1Click's stand-in in its own process, which fails in the given way. */
import { OneClickStandIn } from '../../build/tools/oneclick-stand-in/oneclick-stand-in.js';
import { answerParent } from './child.js';

const oneClick = await OneClickStandIn.start();
/** Longer than it is measured. */
const ALWAYS = { times: Infinity };
/** @type {Record<string, () => void>} */
const TROUBLES = {
  dead: () => oneClick.fault('reset', ALWAYS),
  throttles: () => oneClick.fault('html429', ALWAYS),
  'refuses the key': () => oneClick.fault('unauthorized', ALWAYS),
  'answers after 4.9 s': () => oneClick.fault('slow', { ...ALWAYS, delayMs: 4_900 }),
};

/** `{ trouble }`: the stand-in fails in this way from now on. */
answerParent(oneClick.url, ({ trouble }) => {
  TROUBLES[trouble]?.();
  return { quoteKey: oneClick.signer.publicKey };
});
