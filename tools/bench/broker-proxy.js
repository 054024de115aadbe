/** A TCP proxy in front of the broker, in a process of its own: while it is cut, the broker is away. */
import { TcpProxy } from '../../build/tools/testkit/tcp-proxy.js';
import { answerParent } from './child.js';

const DEFAULT_PORT = 5_672;

/** @type {{ cut(): void, heal(): void } | null} */
let proxy = null;

/** `{ url }` starts it and is answered the URL through it. @typedef {{ url?: string, isCut?: boolean }} Asked */
answerParent('', async (/** @type {Asked} */ { url, isCut }) => {
  if (isCut !== undefined) {
    if (isCut) proxy?.cut();
    else proxy?.heal();
  }
  if (url === undefined) return {};
  proxy = await TcpProxy.inFrontOf(url, DEFAULT_PORT);
  return { url: proxy.through(url) };
});
