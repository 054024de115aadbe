import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { Rehearsal } from '../demo/rehearsal.ts';
import { Cleanup } from '../testkit/cleanup.ts';
import { ImageBuild } from './build-image.ts';
import { launchOf, whyNoImages } from './launch.ts';
import { nodeBase } from './node-base.ts';
import { roomyFolder } from './roomy-folder.ts';

/** `npm run image`: builds the image without an engine, and plays the demo in it. */
const ROOT = fileURLToPath(import.meta.url.replace(/(?:build\/)?tools\/image\/[^/]*$/, ''));
const PLAYED_WITHIN_MS = 60_000;

const why = whyNoImages();
if (why !== null) throw new Error(`The image can't be built without an engine: ${why}`);
const cleanup = new Cleanup();
const folder = await roomyFolder();
cleanup.add(() => rm(folder, { recursive: true, force: true }));
let failure: Error | null = null;
try {
  const image = await ImageBuild.run({
    root: ROOT.replace(/\/$/, ''),
    folder,
    base: (name) => nodeBase(name, folder),
    say: (line) => process.stdout.write(`${line}\n`),
  });
  const rehearsal = new Rehearsal(
    'paybell-image',
    cleanup,
    AbortSignal.timeout(PLAYED_WITHIN_MS),
    launchOf(image),
  );
  process.once('exit', () => rehearsal.abandon());
  await rehearsal.play().catch((error: Error) => (failure = error));
  const isWell = rehearsal.close(failure, await cleanup.run());
  process.exitCode = isWell ? 0 : 1;
} finally {
  for (const problem of await cleanup.run()) process.stderr.write(`${problem}\n`);
}
