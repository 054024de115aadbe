import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import * as plugin from '@nestjs/swagger/plugin';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SOURCES = join(ROOT, 'src');
/** What `@nestjs/swagger/plugin` looks at. */
const DESCRIBED = /\.(?:dto|entity|controller)\.ts$/;
/** The plugin names the built modules. */
const ADDED_IMPORT = /(?<=^import \* as openapi_import_\d+ from "\..*)\.js(?=";$)/gm;
const { compilerOptions } = JSON.parse(readFileSync(join(ROOT, 'nest-cli.json'), 'utf8'));

/**
 * Compiles the sources that describe the API as `nest build` does, with the types of Paybell's own modules alone: libraries' types are
 * not in /openapi.json, and take most of that build's time.
 */
export class DescribedSources {
  constructor() {
    const options = optionsOf(join(ROOT, 'tsconfig.json'));
    const host = ts.createCompilerHost(options);
    host.resolveModuleNameLiterals = (names, file) =>
      names.map(({ text }) => ownModule(text, file, options, host));
    const rootNames = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
      .filter((file) => DESCRIBED.test(file))
      .toSorted()
      .map((file) => join(SOURCES, file));
    this.program = ts.createProgram({ rootNames, options, host });
    this.before = [plugin.before(compilerOptions.plugins[0].options, this.program)];
  }

  /** @param {string} file */
  static has(file) {
    return file.startsWith(SOURCES) && DESCRIBED.test(file);
  }

  /**
   * @param {string} file
   * @returns {string}
   */
  compiled(file) {
    let made = '';
    const keep = (/** @type {string} */ _name, /** @type {string} */ text) => (made = text);
    this.program.emit(this.program.getSourceFile(file), keep, undefined, false, { before: this.before });
    return made.replaceAll(ADDED_IMPORT, '.ts');
  }
}

/** @param {string} file */
function optionsOf(file) {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
  const own = { noEmit: false, noCheck: true, types: [], rootDir: SOURCES, outDir: SOURCES };
  return ts.getParsedCommandLineOfConfigFile(file, own, host)?.options ?? {};
}

/**
 * @param {string} name
 * @param {string} file
 * @param {ts.CompilerOptions} options
 * @param {ts.CompilerHost} host
 */
function ownModule(name, file, options, host) {
  return name.startsWith('.')
    ? ts.resolveModuleName(name, file, options, host)
    : { resolvedModule: undefined };
}
