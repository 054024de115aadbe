import { Option, type Command } from 'commander';

import { ROLES, type Role } from '../../domain/access/role.ts';
import { print } from '../output/print.ts';
import type { KeysSource } from './keys-source.ts';

interface JsonOption {
  readonly json?: true;
}

export function addKeys(program: Command): void {
  const keys = program
    .command('keys')
    .description('API keys: by the API with PAYBELL_URL, else in the database. The audit log says which.');
  keys
    .command('list')
    .description('List the keys with their roles and last use.')
    .option('--json', 'print JSON')
    .action(list);
  keys
    .command('add')
    .description('Make a key, and show it once.')
    .argument('<name>', 'by which the audit log knows the key')
    .addOption(new Option('--role <role>', 'what it may do').choices(ROLES).default('admin'))
    .option('--json', 'print JSON')
    .action(add);
  keys
    .command('revoke')
    .description('Revoke a key; it stops working within 5 seconds.')
    .argument('<name>')
    .option('--json', 'print JSON')
    .action(revoke);
}

async function list({ json }: JsonOption): Promise<void> {
  await withKeys(async (source) => {
    const keys = await source.list();
    if (json === true) return print(`${JSON.stringify({ data: keys })}\n`);
    if (keys.length === 0) return print(source.whenEmpty);
    const { tableOf } = await import('../output/table.ts');
    const rows = keys.map(({ name, role, createdAt, lastUsedAt, lastUsedFrom }) => [
      name,
      role,
      createdAt ?? 'in API_KEYS',
      lastUsedAt ?? 'never',
      lastUsedFrom,
    ]);
    await print(tableOf(['NAME', 'ROLE', 'CREATED', 'LAST USED', 'FROM'], rows));
  });
}

async function add(name: string, { role, json }: JsonOption & { readonly role: Role }): Promise<void> {
  await withKeys(async (source) => {
    const key = await source.add(name, role);
    await print(json === true ? `${JSON.stringify({ name, role, key })}\n` : `${key}\n`);
  });
}

async function revoke(name: string, { json }: JsonOption): Promise<void> {
  await withKeys(async (source) => {
    await source.revoke(name);
    await print(json === true ? `${JSON.stringify({ name })}\n` : `${name} is revoked.\n`);
  });
}

async function withKeys(work: (source: KeysSource) => Promise<void>): Promise<void> {
  const { openKeys } = await import('./keys-source.ts');
  const source = await openKeys();
  try {
    await work(source);
  } finally {
    await source.close();
  }
}
