import type { OpenAPI3 } from 'openapi-typescript';

import { STORIES_ON_CHAIN } from '../../src/providers/sandbox/stories.ts';
import { alertsDoc } from './alerts-doc.ts';
import { apiTypes } from './api-types.ts';
import { clientTypes } from './client-types.ts';
import { eventsDoc } from './events-doc.ts';
import { provenStoryEvents } from './proven-play.ts';
import { STORIES, storyEvents } from './story-play.ts';
import { CONFIGURATION, configurationDoc, envExample } from './settings-docs.ts';

export interface GeneratedFile {
  /** The path from the root of the repository. */
  readonly path: string;
  readonly text: string;
  /** The text that the file must have. */
  readonly made: string;
}

/** Every file that `npm run generate` writes; `read` returns the text of a path, and `document` that of /openapi.json. */
export function generatedFiles(
  read: (path: string) => string,
  document: Promise<OpenAPI3>,
): Promise<GeneratedFile[]> {
  const files: Readonly<Record<string, (text: string) => string | Promise<string>>> = {
    'packages/client/src/event-types.ts': clientTypes,
    '.env.example': (text) => envExample(text, read('docker-compose.yml')),
    [CONFIGURATION]: configurationDoc,
    'docs/using/events.md': eventsDoc,
    'docs/running/metrics.md': (text) => alertsDoc(text, read('deploy/prometheus/rules.yml')),
    ...Object.fromEntries(
      STORIES.map((story) => [`docs/using/stories/${story}.jsonl`, () => storyEvents(story)]),
    ),
    ...Object.fromEntries(
      STORIES_ON_CHAIN.map((story) => [
        `docs/using/stories/require/${story}.jsonl`,
        () => provenStoryEvents(story),
      ]),
    ),
    'web/src/api/schema.d.ts': async () => apiTypes(await document),
  };
  const made = Object.entries(files).map(async ([path, make]) => {
    const text = read(path);
    return { path, text, made: await make(text) };
  });
  return Promise.all(made);
}

/** Which of these files `npm run generate` would change. */
export function staleAmong(files: readonly GeneratedFile[]): string[] {
  return files.filter(({ text, made }) => text !== made).map(({ path }) => path);
}
