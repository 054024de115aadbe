/** @type {Promise<import('./described-sources.js').DescribedSources> | undefined} */
let describedSources;

/**
 * Adds the metadata of Nest's compiler for /openapi.json. TypeScript's compiler is loaded only if a module imports such a
 * source.
 */
export const describing = {
  name: 'describing',
  load: {
    // The files that `@nestjs/swagger/plugin` reads.
    filter: { id: /[\\/]src[\\/].*\.(?:dto|entity|controller)\.ts$/ },
    async handler(/** @type {string} */ id) {
      describedSources ??= import('./described-sources.js').then(
        ({ DescribedSources }) => new DescribedSources(),
      );
      return { ...(await describedSources).described(id), moduleType: 'js' };
    },
  },
};
