/** For `npm run mutate`: runs test files in the order of MUTATE_ORDER, so that the nearest test judges a mutant first. */
export default class AsNamed {
  sort(/** @type {readonly { path: string }[]} */ tests) {
    const order = (process.env['MUTATE_ORDER'] ?? '').split(',');
    const rank = (/** @type {{ path: string }} */ { path }) =>
      order.findIndex((name) => path.endsWith(`/${name}`));
    return [...tests].sort((one, other) => rank(one) - rank(other));
  }
  cacheResults() {}
}
