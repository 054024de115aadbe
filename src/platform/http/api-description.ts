import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { type INestApplication, Injectable } from '@nestjs/common';

import { openApiOf } from './openapi.ts';

/** A file in memory: however many read it, or do not, it is there once, and no descriptor is held for it. */
export interface KeptFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly etag: string;
}

/** What Swagger UI's page asks for. */
const UI_FILES: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
  'favicon-16x16.png': 'image/png',
  'favicon-32x32.png': 'image/png',
};

const SCRIPT = `const url = new URL('../openapi.json', document.currentScript.src).href;
window.ui = SwaggerUIBundle({ url, dom_id: '#swagger-ui', deepLinking: true });
`;

/** The API's description, and the page that shows it. */
@Injectable()
export class ApiDescription {
  private readonly kept = new Map<string, KeptFile>();
  private app: INestApplication | null = null;

  /** Of which application; its document is made when it is first asked for. */
  describe(app: INestApplication): void {
    this.app = app;
  }

  document(): KeptFile {
    return this.keep('openapi.json', 'application/json; charset=utf-8', () => {
      if (this.app === null) throw new Error('no application was given to describe');
      return JSON.stringify(openApiOf(this.app));
    });
  }

  /** `base`: where the page's files are, as seen from its address. */
  page(base: string): KeptFile {
    return this.keep(`page ${base}`, 'text/html; charset=utf-8', () => pageOf(base));
  }

  /** Null: there is no such file. */
  file(name: string): KeptFile | null {
    if (name === 'swagger-ui-init.js') return this.keep(name, 'text/javascript; charset=utf-8', () => SCRIPT);
    const type = Object.hasOwn(UI_FILES, name) ? UI_FILES[name] : undefined;
    return type === undefined ? null : this.keep(name, type, () => readFileSync(pathOf(name)));
  }

  private keep(name: string, type: string, read: () => string | Buffer): KeptFile {
    const known = this.kept.get(name);
    if (known !== undefined) return known;
    const bytes = Buffer.from(read());
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
    const file = { type, bytes, etag };
    this.kept.set(name, file);
    return file;
  }
}

/** Swagger UI comes with @nestjs/swagger. */
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
