import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { build } from 'rolldown';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RXJS = fileURLToPath(new URL('../../node_modules/rxjs/dist/esm', import.meta.url));
const QUIET_COMMON = 'quiet-nest-common';
/** The libraries with many files that most tests load, and the names of their bundles. */
const LIBRARIES = {
  '@nestjs/common': 'nest-common',
  '@nestjs/common/constants.js': 'nest-constants',
  '@nestjs/common/enums/route-paramtypes.enum.js': 'nest-paramtypes',
  '@nestjs/core': 'nest-core',
  '@nestjs/platform-express': 'nest-express',
  '@nestjs/schedule': 'nest-schedule',
  '@nestjs/swagger': 'nest-swagger',
  '@nestjs/testing': 'nest-testing',
  '@nestjs/typeorm': 'nest-typeorm',
  rxjs: 'rxjs',
  typeorm: 'typeorm',
};
/** A test must get the same copy of these modules as the libraries do. */
const NOT_BUNDLED = [
  'class-transformer',
  'class-validator',
  'express',
  'multer',
  'pg',
  'reflect-metadata',
  'swagger-ui-dist',
];

/**
 * Jest's `moduleNameMapper` for these libraries, bundled: Jest loads each module anew for each test file, and a thousand small
 * modules take most of a second of processor time. A change of package-lock.json makes the bundles anew.
 */
export async function bundledLibraries() {
  const folder = `${ROOT}build/test-libraries-${version()}`;
  if (!existsSync(folder)) await bundle(folder);
  return Object.fromEntries(
    Object.entries(LIBRARIES).map(([name, file]) => [`^${name}$`, `${folder}/${file}.mjs`]),
  );
}

function version() {
  const hash = createHash('sha256');
  for (const file of ['../../package-lock.json', './bundled-libraries.js'])
    hash.update(readFileSync(new URL(file, import.meta.url)));
  return hash.digest('hex').slice(0, 12);
}

/** Bundles into another folder first: a second run may make the same bundles at this time. */
async function bundle(/** @type {string} */ folder) {
  const aside = `${folder}.${process.pid}`;
  await build({
    cwd: ROOT,
    input: {
      ...Object.fromEntries(Object.entries(LIBRARIES).map(([name, file]) => [file, name])),
      'nest-common': QUIET_COMMON,
    },
    platform: 'node',
    external: NOT_BUNDLED,
    plugins: [quietLogs, rxjsModules, otherDrivers, optional],
    output: {
      dir: aside,
      entryFileNames: '[name].mjs',
      chunkFileNames: 'chunk-[name].mjs',
      comments: false,
    },
  });
  try {
    renameSync(aside, folder);
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}

/** Nest's logger writes to the standard output past Jest's `--silent`: it is off, unless TEST_LOGS is set. */
const quietLogs = {
  name: 'quiet-logs',
  resolveId: {
    filter: { id: /^quiet-nest-common$/ },
    handler: () => QUIET_COMMON,
  },
  load: {
    filter: { id: /^quiet-nest-common$/ },
    handler: () => `
      import { Logger } from '@nestjs/common';
      export * from '@nestjs/common';
      if (!process.env.TEST_LOGS) Logger.overrideLogger(false);`,
  },
};

/** On Node rxjs is CommonJS, and a bundle of it exports no names. */
const rxjsModules = {
  name: 'rxjs-modules',
  resolveId: {
    filter: { id: /^rxjs(\/operators)?$/ },
    handler: (/** @type {string} */ id) => `${RXJS}${id.slice('rxjs'.length)}/index.js`,
  },
};

/** Paybell uses TypeORM only with PostgreSQL. */
const otherDrivers = {
  name: 'other-drivers',
  load: {
    filter: { id: /typeorm\/driver\/(?!postgres|types)[\w-]+\// },
    handler: () => ({ code: 'module.exports = {};', moduleType: /** @type {const} */ ('js') }),
  },
};

/** Nest imports packages that may not be installed. */
const optional = {
  name: 'optional',
  resolveId: {
    filter: { id: /^[@\w]/ },
    handler: (
      /** @type {string} */ id,
      /** @type {string | undefined} */ importer,
      /** @type {{ kind: string }} */ { kind },
    ) =>
      kind === 'dynamic-import' && importer?.includes('/node_modules/') === true
        ? { id, external: true }
        : null,
  },
};
