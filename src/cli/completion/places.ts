import type { Command, Option } from 'commander';

/** A word that may follow. */
export interface Word {
  readonly word: string;
  readonly about: string;
}

export interface Flag extends Word {
  /** The values of the option. Null: the option takes no value; empty: any value. */
  readonly values: readonly string[] | null;
}

/** A command or a group of commands, identified by the words before. */
export interface Place {
  /** `''` for `paybell` itself, then as ` payments list`. */
  readonly at: string;
  /** Commands, and the values of arguments that have a list. */
  readonly words: readonly Word[];
  readonly flags: readonly Flag[];
}

const HELP: Flag = { word: '--help', about: 'print this help', values: null };

/** Every place of the command line. */
export function placesOf(command: Command, at = ''): Place[] {
  const values = command.registeredArguments.flatMap(({ argChoices = [], description }) =>
    argChoices.map((word) => ({ word, about: description })),
  );
  const commands = command.commands.map((each) => ({ word: each.name(), about: each.description() }));
  return [
    { at, words: [...commands, ...values], flags: [...command.options.map(flagOf), HELP] },
    ...command.commands.flatMap((each) => placesOf(each, `${at} ${each.name()}`)),
  ];
}

function flagOf({ long, short, description, argChoices = [], required, optional }: Option): Flag {
  return { word: long ?? short ?? '', about: description, values: required || optional ? argChoices : null };
}
