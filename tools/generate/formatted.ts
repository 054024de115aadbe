import { readFileSync } from 'node:fs';

import { format, type FormatConfig } from 'oxfmt';
import { format as prettier } from 'prettier';

/** oxfmt and prettier have these options in common. */
const STYLE = JSON.parse(readFileSync(new URL('../../.prettierrc', import.meta.url), 'utf8')) as FormatConfig;

/** Formats TypeScript like `npm run format`. */
export async function typeScript(text: string): Promise<string> {
  const { code, errors } = await format('made.ts', text, STYLE);
  if (errors[0] !== undefined) throw new Error(errors[0].message);
  return code;
}

/** Formats Markdown like `npm run format`. */
export function markdown(text: string): Promise<string> {
  return prettier(text, { ...STYLE, parser: 'markdown' });
}
