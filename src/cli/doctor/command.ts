import type { Command } from 'commander';

import { exitWhenInterrupted } from '../output/interruption.ts';

interface DoctorOptions {
  readonly json?: true;
}

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description(
      'Check the configuration, the database and its rights, the broker, the provider, the clock, the disk, and with PAYBELL_URL the running Paybell; say what to do. It changes nothing.',
    )
    .option('--json', 'print JSON')
    .action(async ({ json }: DoctorOptions) => {
      exitWhenInterrupted();
      const { examine } = await import('./doctor.ts');
      await examine(json === true);
    });
}
