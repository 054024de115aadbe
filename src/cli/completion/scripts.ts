import type { Flag, Place } from './places.ts';

type Shell = 'bash' | 'zsh' | 'fish';

/** Scripts that contain all words: completion in a shell starts no Node. */
export const SCRIPTS: Readonly<Record<Shell, (places: readonly Place[]) => string>> = { bash, zsh, fish };

function bash(places: readonly Place[]): string {
  const words = places.map(({ at, words, flags }) => {
    const all = [...words, ...flags].map(({ word }) => word);
    return `    ${quoted(at)}) words=${quoted(all.join(' '))} ;;`;
  });
  const values = valued(places).map(
    ({ at, flag }) =>
      `    ${quoted(`${at} ${flag.word}`)}) words=${quoted((flag.values ?? []).join(' '))} ;;`,
  );
  return `# paybell completion bash
_paybell() {
  local at= words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
    ${patterns(places)}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at" in
${words.join('\n')}
  esac
  case "$at \${COMP_WORDS[COMP_CWORD-1]}" in
${values.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _paybell paybell
`;
}

function zsh(places: readonly Place[]): string {
  const words = places.map(({ at, words, flags }) => {
    const all = [...words, ...flags].map(({ word, about }) => quoted(`${word}:${about}`));
    return `    (${quoted(at)}) found=(${all.join(' ')}) ;;`;
  });
  const values = valued(places).map(({ at, flag }) => {
    const list = flag.values ?? [];
    const add = list.length === 0 ? '_files' : `compadd -- ${list.map(quoted).join(' ')}`;
    return `    (${quoted(`${at} ${flag.word}`)}) ${add}; return ;;`;
  });
  return `#compdef paybell
_paybell() {
  local at= word
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
    (${patterns(places)}) at="$at $word" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${values.join('\n')}
  esac
  case "$at" in
${words.join('\n')}
  esac
  _describe -o paybell found || _files
}
compdef _paybell paybell
`;
}

function fish(places: readonly Place[]): string {
  const lines = places.flatMap(({ at, words, flags }) => {
    const here = `complete -c paybell -n ${quoted(`__paybell_at ${quoted(at)}`)}`;
    return [
      ...words.map(({ word, about }) => `${here} -f -a ${quoted(word)} -d ${quoted(about)}`),
      ...flags.map((flag) => `${here} ${fishFlag(flag)}`),
    ];
  });
  return `# paybell completion fish
function __paybell_at
  set -l at
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
    case ${places
      .slice(1)
      .map(({ at }) => quoted(at))
      .join(' ')}
      set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}
`;
}

function fishFlag({ word, about, values }: Flag): string {
  const takes = values === null ? '' : values.length === 0 ? ' -r' : ` -x -a ${quoted(values.join(' '))}`;
  return `-l ${word.replace(/^--/, '')}${takes} -d ${quoted(about)}`;
}

function patterns(places: readonly Place[]): string {
  return places
    .slice(1)
    .map(({ at }) => quoted(at))
    .join('|');
}

/** The options that take a value. */
function valued(places: readonly Place[]): { readonly at: string; readonly flag: Flag }[] {
  return places.flatMap(({ at, flags }) =>
    flags.filter(({ values }) => values !== null).map((flag) => ({ at, flag })),
  );
}

/** A word in single quotes, as all three shells read it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
