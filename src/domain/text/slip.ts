/** True for a name that differs from `meant` by one typing error, or only in separators and letter case. */
export function isSlipOf(name: string, meant: string): boolean {
  return lettersOf(name) === lettersOf(meant) || isOneEdit(name, meant);
}

/** The name in upper case, without separators. */
export function lettersOf(name: string): string {
  return name.replace(/[_.-]/g, '').toUpperCase();
}

/** True for one character added, removed or replaced, or two neighbours swapped. */
function isOneEdit(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  if (a.length > b.length) return restA.slice(1) === restB;
  if (a.length < b.length) return restB.slice(1) === restA;
  const isSwapped = restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
  return restA.slice(1) === restB.slice(1) || isSwapped;
}
