export interface Receiver {
  readonly language: string;
  /** The command that installs the library; null: the page names none. */
  readonly install: string | null;
  readonly program: string;
}

/** The languages in which the page has a receiver, one a section. */
const LANGUAGES = ['Node', 'Python', 'PHP', 'Ruby', 'Go', 'Java'];
const PROGRAM = /```\w+\n([\s\S]*?)```/;
const INSTALL = /`((?:npm install|pip install|composer require|gem install|go get) [^`]+)`/;

/** Reads the receivers out of docs/using/verifying-webhooks.md. */
export function receiversOf(page: string): Receiver[] {
  const sections = page.split(/^## /m);
  return LANGUAGES.flatMap((language) => {
    const section = sections.find((text) => text.startsWith(`${language}\n`)) ?? '';
    const program = PROGRAM.exec(section)?.[1]?.trim();
    return program === undefined ? [] : [{ language, install: INSTALL.exec(section)?.[1] ?? null, program }];
  });
}
