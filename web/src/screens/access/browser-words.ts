const BROWSERS = [
  ['Firefox', /Firefox\/(\d+)/],
  ['Edge', /Edg\/(\d+)/],
  ['Chrome', /Chrome\/(\d+)/],
  ['Safari', /Version\/(\d+).*Safari/],
] as const;
const SYSTEMS = [
  ['Android', /Android/],
  ['iPhone', /iPhone|iPad/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux/],
] as const;

/** `Firefox 140 on Linux`; an unknown name is shown unchanged. */
export function browserWords(userAgent: string): string {
  const browser = BROWSERS.map(([name, pattern]) => [name, pattern.exec(userAgent)?.[1]] as const).find(
    ([, version]) => version !== undefined,
  );
  if (browser === undefined) return userAgent;
  const system = SYSTEMS.find(([, pattern]) => pattern.test(userAgent))?.[0];
  return `${browser.join(' ')}${system === undefined ? '' : ` on ${system}`}`;
}
