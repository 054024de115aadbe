import type { Program } from './launcher.ts';

const KEPT_OUTPUT = 4_000;

/** Waits for a short-lived program. Returns its exit code, null when it was killed or could not start, and its last output. */
export function runToEnd(
  program: Program,
  timeoutMs: number,
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    let output = '';
    const keep = (text: unknown): void => {
      output = `${output}${String(text)}`.slice(-KEPT_OUTPUT);
    };
    const timer = setTimeout(() => {
      keep(`\nstopped after ${timeoutMs} ms`);
      program.kill('SIGKILL');
    }, timeoutMs);
    const stopWithUs = (): void => void program.kill('SIGKILL');
    process.once('exit', stopWithUs);
    for (const stream of [program.stdout, program.stderr]) stream.on('data', keep);
    program.once('error', (error) => keep(error.message));
    program.once('close', (code) => {
      clearTimeout(timer);
      process.off('exit', stopWithUs);
      resolve({ code, output });
    });
  });
}
