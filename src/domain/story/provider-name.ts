const NAMES: Readonly<Record<string, string>> = {
  relay: 'Relay',
  oneclick: '1Click',
  chainflip: 'Chainflip',
  sandbox: 'Sandbox',
};

/**
 * The name of a provider for people, in the spelling of its makers: `1Click` for `oneclick`. Settings, filters and fields of
 * the API have the short name.
 */
export function providerName(name: string): string {
  return NAMES[name] ?? name;
}
