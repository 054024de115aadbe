import type { Command } from 'commander';

import { exitWhenInterrupted } from '../output/interruption.ts';

interface DoctorOptions {
  readonly json?: true;
}

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description(
      'Check with PAYBELL_URL the running Paybell, then what this shell has: configuration, database and its rights, disk, broker, provider, RPCs and clock. Say what to do. It changes nothing.',
    )
    .option('--json', 'print JSON')
    .action(async ({ json }: DoctorOptions) => {
      exitWhenInterrupted();
      const { examine } = await import('./doctor.ts');
      await examine(json === true);
    });
}
