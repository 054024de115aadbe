/** One instruction of a Dockerfile, with its continued lines joined. */
export interface Instruction {
  readonly line: number;
  readonly name: string;
  readonly rest: string;
}

export interface Stage {
  readonly image: string;
  readonly name: string | null;
  readonly instructions: readonly Instruction[];
}

/** What an image says about the processes that are started from it. */
export interface ImageSettings {
  env: Record<string, string>;
  workdir: string;
  user: string;
  command: readonly string[];
  volumes: string[];
}

/** The stages of a Dockerfile, in order. An instruction before the first FROM may only be an ARG. */
export function parseDockerfile(text: string): Stage[] {
  const args: Record<string, string> = {};
  const stages: { image: string; name: string | null; instructions: Instruction[] }[] = [];
  for (const instruction of instructionsOf(text)) {
    const { name, rest, line } = instruction;
    const stage = stages.at(-1);
    if (name === 'FROM') {
      const [, image = '', as = null] = /^(\S+)(?:\s+AS\s+(\S+))?$/i.exec(rest) ?? [];
      stages.push({ image: expand(image, args), name: as, instructions: [] });
    } else if (stage !== undefined) stage.instructions.push(instruction);
    else if (name === 'ARG') Object.assign(args, pairsOf(rest));
    else throw new Error(`Dockerfile:${line}: ${name} before the first FROM`);
  }
  return stages;
}

/** `NAME=value` pairs as ARG and ENV have them. */
export function pairsOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/([A-Za-z_]\w*)=("(?:[^"\\]|\\.)*"|\S*)/g)];
  return Object.fromEntries(
    pairs.map(([, name = '', value = '']) => [name, value.replace(/^"(.*)"$/s, '$1')]),
  );
}

export function expand(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{?([A-Za-z_]\w*)\}?/g, (_all, name: string) => values[name] ?? '');
}

function instructionsOf(text: string): Instruction[] {
  const found: Instruction[] = [];
  let begun: { line: number; text: string } | null = null;
  for (const [index, raw] of text.split('\n').entries()) {
    if (raw.trim() === '' || raw.trimStart().startsWith('#')) continue;
    const joined: { line: number; text: string } = {
      line: begun?.line ?? index + 1,
      text: `${begun?.text ?? ''}${raw.replace(/\\$/, '').trim()} `,
    };
    begun = raw.endsWith('\\') ? joined : null;
    if (begun === null) {
      const [, name = '', rest = ''] = /^(\w+)\s+(.*)$/s.exec(joined.text.trim()) ?? [];
      found.push({ line: joined.line, name: name.toUpperCase(), rest });
    }
  }
  return found;
}
