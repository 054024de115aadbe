/**
 * The names of a table for the longest folder of it that a path begins with.
 *
 * @param {Readonly<Record<string, readonly string[]>>} table
 * @param {string} path
 * @returns {readonly string[]}
 */
export function namesOfLongest(table, path) {
  const [folder] = Object.keys(table)
    .filter((each) => path.startsWith(each))
    .sort((a, b) => b.length - a.length);
  return folder === undefined ? [] : (table[folder] ?? []);
}
