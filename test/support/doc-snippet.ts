import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The code of a document under `<!-- snippet: name -->`. */
export async function snippet(document: string, name: string, language = 'js'): Promise<string> {
  const text = await readFile(`${ROOT}/${document}`, 'utf8');
  const code = text.split(`<!-- snippet: ${name} -->\n\n\`\`\`${language}\n`)[1]?.split('\n```\n')[0];
  if (code === undefined) throw new Error(`${document} has no snippet "${name}"`);
  return code;
}
