import { readFileSync } from 'node:fs';

import { format, type FormatConfig } from 'oxfmt';
import { format as prettier } from 'prettier';

/** oxfmt and prettier have these options in common. */
const STYLE = JSON.parse(readFileSync(new URL('../../.prettierrc', import.meta.url), 'utf8')) as FormatConfig;

/** As `npm run format` writes TypeScript. */
export async function typeScript(text: string): Promise<string> {
  const { code, errors } = await format('made.ts', text, STYLE);
  if (errors[0] !== undefined) throw new Error(errors[0].message);
  return code;
}

/** As `npm run format` writes Markdown. */
export function markdown(text: string): Promise<string> {
  return prettier(text, { ...STYLE, parser: 'markdown' });
}
