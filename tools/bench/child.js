/** Processes of the bench's own that serve HTTP and are asked over IPC, so that they share no event loop with anything. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The child's side: sends its URL, if it serves one, and answers each question of the parent with `answer`. */
export function answerParent(
  /** @type {string} */ url,
  /** @type {(asked: any) => object | Promise<object>} */ answer,
) {
  process.on('disconnect', () => process.exit());
  // Ctrl-C reaches the whole group: the parent ends us when it is done with us.
  process.on('SIGINT', () => undefined);
  process.on('message', (asked) => {
    void Promise.resolve(answer(asked)).then((published) => process.send?.(published));
  });
  process.send?.({ url });
}

/** The parent's side. One question at a time. */
export class Child {
  /** @param {import('node:child_process').ChildProcess} process @param {string} url */
  constructor(process, url) {
    this.process = process;
    this.url = url;
  }

  static async start(/** @type {string} */ file) {
    // Plain JSON has no Infinity.
    const process = fork(fileURLToPath(new URL(file, import.meta.url)), { serialization: 'advanced' });
    const [{ url }] = await once(process, 'message');
    return new Child(process, url);
  }

  async ask(/** @type {object} */ question = {}) {
    const answered = once(this.process, 'message');
    this.process.send(question);
    return (await answered)[0];
  }

  async stop() {
    const gone = once(this.process, 'exit');
    this.process.disconnect();
    await gone;
  }
}
