import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { waitFor } from '../../tools/testkit/wait-for.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Replaces npx, which would look for a published package, with the program that was built here. */
export const NPX = `#!/bin/sh\nprogram="$1"; shift\nexec "${process.execPath}" "${ROOT}/dist/cli/$program.js" "$@"\n`;

/** The text of a page of the docs, or of all pages of a folder. */
export async function docsText(place: string): Promise<string> {
  if (place.endsWith('.md')) return readFile(`${ROOT}/${place}`, 'utf8');
  const pages = (await readdir(`${ROOT}/${place}`)).toSorted();
  return (await Promise.all(pages.map((page) => readFile(`${ROOT}/${place}/${page}`, 'utf8')))).join('\n');
}

/** The code under `<!-- snippet: name -->` in a page, or in a folder of pages. */
export async function snippet(place: string, name: string, language = 'js'): Promise<string> {
  const text = await docsText(place);
  const code = text.split(`<!-- snippet: ${name} -->\n\n\`\`\`${language}\n`)[1]?.split('\n```\n')[0];
  if (code === undefined) throw new Error(`${place} has no snippet "${name}"`);
  return code;
}

/** A running snippet, and the text that it has printed. */
export interface Running {
  readonly process: ChildProcess;
  output: string;
}

const running: Running[] = [];

/** Kills those that still run. */
export async function endSnippets(): Promise<void> {
  for (const { process } of running.splice(0)) {
    const ended = new Promise((resolve) => process.once('exit', resolve));
    if (process.kill('SIGKILL')) await ended;
  }
}

/** Runs a Node program as a module of this folder, so that it finds the packages that it imports. */
export function run(code: string, env: Record<string, string>): Running {
  return runWith([process.execPath, '--input-type=module', '--eval'], code, env);
}

/** Runs the code as the last argument of a command. */
export function runWith(
  [program, ...words]: readonly [string, ...string[]],
  code: string,
  env: Record<string, string>,
): Running {
  const child = spawn(program, [...words, code], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const started: Running = { process: child, output: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (started.output += text));
  running.push(started);
  return started;
}

export function isEnded({ process, output }: Running): boolean {
  if (process.exitCode !== null) throw new Error(`the snippet ended: ${output}`);
  return false;
}

/** The program's output, once it has ended. */
export async function ended(running: Running): Promise<string> {
  await waitFor(() => running.process.exitCode !== null, { what: 'the snippet to end' });
  return running.output;
}
