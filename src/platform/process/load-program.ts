import { setFlagsFromString } from 'node:v8';

/** How many files the service may open to load its packages and to serve its connections, with room to spare. */
const OPEN_FILES_NEEDED = 1_024;

interface Limits {
  readonly userLimits?: { readonly open_files?: { readonly soft: number | 'unlimited' } };
}

/** Loads the rest of the program. A failure is reported in one sentence and ends the process. */
export async function loadProgram(importAll: () => Promise<unknown>): Promise<void> {
  // By default V8 lets a small heap grow fourfold before a full collection. Twofold growth costs no measurable time and saves
  // a quarter of the memory.
  setFlagsFromString('--heap-growing-percent=100');
  const limit = openFiles();
  // With a low limit, Node reports packages that it could not open as missing, or fails later.
  if (limit < OPEN_FILES_NEEDED)
    end(`it may open only ${limit} files; raise that limit to ${OPEN_FILES_NEEDED} or more (ulimit -n).`);
  try {
    await importAll();
  } catch (error) {
    const missing = missingPackage(error);
    if (missing === null) throw error;
    end(missing);
  }
}

/** Says what to do about a package that is not installed; null for any other error. */
export function missingPackage(error: unknown): string | null {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ERR_MODULE_NOT_FOUND' ? `${message.split('\n', 1)[0]}; run npm ci.` : null;
}

function openFiles(): number {
  // Leaves out network addresses: looking up their names takes seconds where no name server answers.
  const report = Object.assign(process.report, { excludeNetwork: true });
  const limit = (report.getReport() as Limits).userLimits?.open_files?.soft;
  return typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY;
}

function end(reason: string): never {
  process.stderr.write(`Paybell cannot be loaded: ${reason}\n`);
  process.exit(1);
}
