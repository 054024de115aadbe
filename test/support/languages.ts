import { spawnSync } from 'node:child_process';

import { describe } from '@jest/globals';

const PYTHONS = ['python3', '/usr/bin/python3'];
/** Where Debian's package php-amqplib puts its classes. */
export const PHP_AMQPLIB = '/usr/share/php/PhpAmqpLib/autoload.php';

/** A Python 3 that has these modules; null where there is none. */
export function pythonWith(...modules: string[]): string | null {
  return PYTHONS.find((python) => runs(python, ['-c', `import ${['sys', ...modules].join(', ')}`])) ?? null;
}

export function phpWith(file?: string): string | null {
  const check = file === undefined ? '' : `require '${file}';`;
  return runs('php', ['-r', check]) ? 'php' : null;
}

/** A suite that runs a program of this machine: without it, it is listed as skipped, with what to install. */
export function describeWith(
  program: string | null,
  packageName: string,
  name: string,
  suite: (program: string) => void,
): void {
  if (program !== null) describe(name, () => suite(program));
  else describe.skip(`${name} [skipped: not on this machine; install ${packageName}]`, () => suite(''));
}

function runs(program: string, args: string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore', timeout: 20_000 }).status === 0;
}
