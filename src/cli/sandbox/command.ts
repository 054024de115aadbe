import { Argument, type Command } from 'commander';

import { DIGITS_OF_STORY, type Story } from '../../providers/sandbox/stories.ts';
import { ask } from '../api/ask.ts';
import type { TriggerOptions } from './trigger.ts';

const STORIES = [...DIGITS_OF_STORY.keys()];

export function addTrigger(program: Command): void {
  program
    .command('trigger')
    .description('Make a payment in the sandbox that plays a story; with a real provider it does nothing.')
    .addArgument(new Argument('<story>', 'how it goes').choices(STORIES))
    .option('--order-id <id>', "the merchant's id of the order")
    .option('--deposit', 'pay it now, for SANDBOX_AUTOPAY=false')
    .option('--follow', 'print its events, until Ctrl-C')
    .option('--json', 'print the quote as the API answered it')
    .action((story: Story, options: TriggerOptions) =>
      ask(async (session) => (await import('./trigger.ts')).trigger(session, story, options)),
    );
}
