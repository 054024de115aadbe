/** Orders versions as semver does, as far as releases need it: negative when `a` is older than `b`. */
export function compareReleases(a: string, b: string): number {
  const [one, other] = [partsOf(a), partsOf(b)];
  for (const [index, number] of one.numbers.entries()) {
    const difference = number - (other.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  // 1.0.0-rc.1 comes before 1.0.0.
  if (one.preRelease === '' || other.preRelease === '')
    return Number(one.preRelease === '') - Number(other.preRelease === '');
  return one.preRelease.localeCompare(other.preRelease, 'en', { numeric: true });
}

function partsOf(release: string): { numbers: number[]; preRelease: string } {
  const [core = '', ...rest] = (release.split('+')[0] ?? '').split('-');
  const [major = 0, minor = 0, patch = 0] = core.split('.').map((part) => Number.parseInt(part, 10) || 0);
  return { numbers: [major, minor, patch], preRelease: rest.join('-') };
}
