import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import * as plugin from '@nestjs/swagger/plugin';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SOURCES = join(ROOT, 'src');
const DESCRIBED = /\.(?:dto|entity|controller)\.ts$/;
/** The plugin names the built modules. */
const ADDED_IMPORT = /^(import \* as openapi_import_\d+ from "\..*)\.js(";)$/gm;
const { compilerOptions } = JSON.parse(readFileSync(join(ROOT, 'nest-cli.json'), 'utf8'));

/**
 * Adds to the sources that describe the API the same metadata as `nest build`, with the types of Paybell's own modules alone:
 * the types of libraries are not in /openapi.json, and take most of that build's time.
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
    this.plugin = plugin.before(compilerOptions.plugins[0].options, this.program);
  }

  /**
   * The module in JavaScript, with the metadata of the plugin, and its source map as JSON.
   * @param {string} file
   * @returns {{ code: string, map: string }}
   */
  described(file) {
    const texts = { code: '', map: '' };
    const keep = (/** @type {string} */ name, /** @type {string} */ text) => {
      texts[name.endsWith('.map') ? 'map' : 'code'] = text;
    };
    this.program.emit(this.program.getSourceFile(file), keep, undefined, false, { before: [this.plugin] });
    return { ...texts, code: texts.code.replaceAll(ADDED_IMPORT, '$1.ts$2') };
  }
}

/** @param {string} file */
function optionsOf(file) {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
  const own = { noEmit: false, noCheck: true, sourceMap: true, types: [], rootDir: SOURCES, outDir: SOURCES };
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
