import { posix } from 'node:path';

import { COMMAND_LINE } from '../../src/config/client-settings.ts';
import { sectionsWith } from '../../src/config/config.ts';
import type { Section, Setting } from '../../src/config/setting.ts';
import { PROVIDERS } from '../../src/providers/registered-providers.ts';
import { markdown } from './formatted.ts';
import { tableOf } from './tables.ts';

export const CONFIGURATION = 'docs/running/configuration.md';

const SECTIONS: readonly Section[] = [...sectionsWith(PROVIDERS), COMMAND_LINE];
const SETTINGS =
  /(?<=<!-- npm run generate: settings -->\n)[^]*(?=<!-- npm run generate: end of settings -->\n)/;
/** The lines of .env.example up to here serve only docker compose. */
const HEAD = /^[^]*?# npm run generate makes what follows[^\n]*\n/;
const LINK = /\[([^\]]+)\]\(([^)]+)\)/g;
const RULER = 100;

/** The text of docs/running/configuration.md with a table of each section of the settings. */
export function configurationDoc(text: string): Promise<string> {
  const made = SECTIONS.map(({ heading, about, rows }) =>
    [
      `\n## ${heading}\n`,
      about === '' ? '' : `${about}\n`,
      tableOf([COLUMNS, ...Object.values(rows).map(rowOf)]),
    ].join('\n'),
  );
  return markdown(text.replace(SETTINGS, () => `${made.join('\n')}\n`));
}

const COLUMNS = ['variable', 'default', 'values', 'meaning'];

function rowOf({ name, default: fallback, values, text }: Setting): string[] {
  return [`\`${name}\``, fallback === null ? '' : `\`${fallback}\``, values, text];
}

/** The text of .env.example with every setting. Variables without which `compose` refuses to start have no value. */
export function envExample(text: string, compose: string): string {
  const [head = ''] = HEAD.exec(text) ?? [];
  const made = SECTIONS.map(({ heading, rows }) => {
    const rule = `# --- ${heading} `.padEnd(RULER, '-');
    return `\n${rule}\n\n${Object.values(rows)
      .map((row) => linesOf(row, compose))
      .join('')}`;
  });
  return head + made.join('');
}

function linesOf({ name, default: fallback, text }: Setting, compose: string): string {
  const isFilledIn = compose.includes(`\${${name}:?`);
  return `# ${plain(text)}\n${isFilledIn ? `${name}=` : `# ${name}=${fallback ?? ''}`}\n`;
}

/** Markdown as plain text; a link to another page names its file. */
function plain(markdown: string): string {
  const linked = markdown.replaceAll(LINK, (_link, label: string, target: string) => {
    const [page = ''] = target.split('#');
    if (page === '' || page.includes(':')) return label;
    const path = posix.join(posix.dirname(CONFIGURATION), page);
    return label === posix.basename(page) ? path : `${label} (${path})`;
  });
  return linked.replaceAll('`', '');
}
