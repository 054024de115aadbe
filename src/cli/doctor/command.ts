import type { Command } from 'commander';

import { exitWhenInterrupted } from '../output/interruption.ts';

interface DoctorOptions {
  readonly all?: true;
  readonly json?: true;
}

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description(
      'Check with PAYBELL_URL the running Paybell, then the environment of this shell: configuration, database and its rights, clock, disk, broker, providers and RPCs. Say what to do. It only reads.',
    )
    .option('--all', 'all findings whole, also if they do not fit on a screen')
    .option('--json', 'print JSON')
    .action(async ({ all, json }: DoctorOptions) => {
      exitWhenInterrupted();
      const { examine } = await import('./doctor.ts');
      await examine(json === true, all === true);
    });
}
