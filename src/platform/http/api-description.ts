import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { type INestApplication, Injectable } from '@nestjs/common';

/** A file held in memory: concurrent requests share it, and none of them holds a file descriptor. */
export interface CachedFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly etag: string;
}

/** The files that Swagger UI's page loads. */
const UI_FILES: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
  'favicon-16x16.png': 'image/png',
  'favicon-32x32.png': 'image/png',
};

const SCRIPT = `const url = new URL('../openapi.json', document.currentScript.src).href;
window.ui = SwaggerUIBundle({ url, dom_id: '#swagger-ui', deepLinking: true });
`;

/** The API's OpenAPI document, and the Swagger UI page that shows it. */
@Injectable()
export class ApiDescription {
  private readonly files = new Map<string, CachedFile>();
  private app: INestApplication | null = null;

  /** Sets the application to describe; the document is built at the first request. */
  describe(app: INestApplication): void {
    this.app = app;
  }

  async document(): Promise<CachedFile> {
    const { openApiOf } = await loadOpenApi();
    return this.cached('openapi.json', 'application/json; charset=utf-8', () => {
      if (this.app === null) throw new Error('no application was given to describe');
      return JSON.stringify(openApiOf(this.app));
    });
  }

  /** `base`: the path from the page's address to its files. */
  page(base: string): CachedFile {
    return this.cached(`page ${base}`, 'text/html; charset=utf-8', () => pageOf(base));
  }

  /** Null when there is no such file. */
  file(name: string): CachedFile | null {
    if (name === 'swagger-ui-init.js')
      return this.cached(name, 'text/javascript; charset=utf-8', () => SCRIPT);
    const type = Object.hasOwn(UI_FILES, name) ? UI_FILES[name] : undefined;
    return type === undefined ? null : this.cached(name, type, () => readFileSync(pathOf(name)));
  }

  private cached(name: string, type: string, read: () => string | Buffer): CachedFile {
    const known = this.files.get(name);
    if (known !== undefined) return known;
    const bytes = Buffer.from(read());
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
    const file = { type, bytes, etag };
    this.files.set(name, file);
    return file;
  }
}

/** Loads the document's builder for the first request only: most processes never need it. */
function loadOpenApi(): Promise<typeof import('./openapi.ts')> {
  return import('./openapi.ts');
}

/** Swagger UI is a dependency of @nestjs/swagger. */
function pathOf(name: string): string {
  const ours = createRequire(import.meta.url);
  return createRequire(ours.resolve('@nestjs/swagger')).resolve(`swagger-ui-dist/${name}`);
}

function pageOf(base: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Paybell API</title>
    <link rel="stylesheet" href="${base}swagger-ui.css">
    <link rel="icon" type="image/png" href="${base}favicon-32x32.png" sizes="32x32">
    <link rel="icon" type="image/png" href="${base}favicon-16x16.png" sizes="16x16">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="${base}swagger-ui-bundle.js"></script>
    <script src="${base}swagger-ui-init.js"></script>
  </body>
</html>
`;
}
