import { Argument, type Command } from 'commander';

import { print } from '../output/print.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('Print the script that lets a shell complete commands, options and their values.')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .addHelpText(
      'after',
      '\nbash and zsh: source <(paybell completion bash)\nfish: paybell completion fish | source',
    )
    .action(async (shell: Shell) => {
      const { SCRIPTS } = await import('./scripts.ts');
      const { placesOf } = await import('./places.ts');
      await print(SCRIPTS[shell](placesOf(program)));
    });
}
