/**
 * Processes of the benchmark that serve HTTP and answer questions over IPC, so that they share no event loop with other parts.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The child's side: sends its URL, if it serves one, and answers each question of the parent by `answer`. */
export function answerParent(
  /** @type {string} */ url,
  /** @type {(asked: any) => object | Promise<object>} */ answer,
) {
  process.on('disconnect', () => process.exit());
  // Ctrl-C reaches the whole group: the parent ends this process when it no longer needs it.
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

  static async start(/** @type {string} */ file, /** @type {string[]} */ args = []) {
    // Plain JSON has no Infinity.
    const process = fork(fileURLToPath(new URL(file, import.meta.url)), args, { serialization: 'advanced' });
    const [{ url }] = await once(process, 'message');
    return new Child(process, url);
  }

  get hasEnded() {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  get pid() {
    return this.process.pid ?? 0;
  }

  async ask(/** @type {object} */ question = {}) {
    const answered = once(this.process, 'message');
    this.process.send(question);
    return (await answered)[0];
  }

  /** Ends it like a crash. */
  async kill9() {
    if (this.hasEnded) return;
    const gone = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await gone;
  }

  async stop() {
    // A signal to the whole group also ends the child.
    if (this.hasEnded) return;
    const gone = once(this.process, 'exit');
    this.process.disconnect();
    await gone;
  }
}
