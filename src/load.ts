/** What loading everything takes, with room to work. */
const OPEN_FILES_NEEDED = 1_024;
const LOAD_FAILURES = new Set(['EMFILE', 'ENFILE', 'ERR_MODULE_NOT_FOUND']);

interface Limits {
  readonly userLimits?: { readonly open_files?: { readonly soft: number | 'unlimited' } };
}

/** Loads the rest of the program; what keeps it from being loaded is said in one sentence, and ends the process. */
export async function load(importAll: () => Promise<unknown>): Promise<void> {
  try {
    await importAll();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!LOAD_FAILURES.has(code ?? '')) throw error;
    process.stderr.write(`Paybell can't be loaded: ${reasonOf(message)}\n`);
    process.exit(1);
  }
}

/** With few open files, Node takes packages for missing that it could not open. */
function reasonOf(message: string): string {
  const limit = (process.report.getReport() as Limits).userLimits?.open_files?.soft;
  if (typeof limit === 'number' && limit < OPEN_FILES_NEEDED)
    return `it may open only ${limit} files; raise that limit to ${OPEN_FILES_NEEDED} or more (ulimit -n).`;
  return `${message.split('\n', 1)[0]}; run npm ci.`;
}
