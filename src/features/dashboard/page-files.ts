import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);
const INDEX = 'index.html';
/** The place in the built page for the nonce of an answer. */
const NONCE_MARK = '__CSP_NONCE__';
const NONCE_BYTES = 16;
/** Files whose names change with their content. */
const HASHED = /^assets\//;
const MAX_FILES = 1_000;
const MIN_COMPRESSED_BYTES = 1_024;

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};
const COMPRESSIBLE = new Set(['.js', '.css', '.svg', '.json', '.txt']);

const NOT_BUILT = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Paybell</title></head>
  <body>
    <h1>The dashboard is not built</h1>
    <p>Run <code>npm run build</code>, and start Paybell again.</p>
  </body>
</html>
`;

/** A file of the built pages, held in memory: a new build does not affect a running process. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly etag: string;
  /** True when a file of this name never changes. */
  readonly isHashed: boolean;
  /** The compressed bytes; null if compression saves nothing. */
  readonly gzipped: () => Promise<Buffer> | null;
}

/** The page itself, composed anew for each answer. */
interface Page {
  readonly html: string;
  /** The nonce for styles that the page adds. */
  readonly nonce: string;
}

/** The built pages. Only files found in their folder at the start are served. */
export class PageFiles {
  private readonly files: ReadonlyMap<string, PageFile>;
  /** The parts of the page between its nonces; null when the pages are not built. */
  private readonly parts: readonly string[] | null;

  constructor(folder: string) {
    const isBuilt = existsSync(join(folder, INDEX));
    this.parts = isBuilt ? readFileSync(join(folder, INDEX), 'utf8').split(NONCE_MARK) : null;
    this.files = isBuilt ? filesIn(folder) : new Map();
  }

  get isBuilt(): boolean {
    return this.parts !== null;
  }

  /** `name`: the path below the folder. */
  file(name: string): PageFile | null {
    return this.files.get(name) ?? null;
  }

  page(): Page {
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    return { html: this.parts?.join(nonce) ?? NOT_BUILT, nonce };
  }
}

function filesIn(folder: string): Map<string, PageFile> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  if (paths.length > MAX_FILES) throw new Error(`${folder} has ${paths.length} files, at most ${MAX_FILES}`);
  const named = paths.map((path): [string, string] => [relative(folder, path).replaceAll(sep, '/'), path]);
  const served = named.filter(([name]) => name !== INDEX && extname(name) in TYPES);
  return new Map(served.map(([name, path]) => [name, fileOf(name, readFileSync(path))]));
}

function fileOf(name: string, bytes: Buffer): PageFile {
  const kind = extname(name);
  const isLarge = COMPRESSIBLE.has(kind) && bytes.length >= MIN_COMPRESSED_BYTES;
  let compressed: Promise<Buffer> | undefined;
  return {
    type: TYPES[kind] ?? 'application/octet-stream',
    bytes,
    // A weak ETag, since the compressed bytes share it.
    etag: `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`,
    isHashed: HASHED.test(name),
    gzipped: () => (isLarge ? (compressed ??= compress(bytes, { level: 9 })) : null),
  };
}
