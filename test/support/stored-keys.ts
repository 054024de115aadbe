import type { Role } from '../../src/domain/access/role.ts';
import { ApiKeys, type StoredKey } from '../../src/ports/api-keys.ts';

/** A database with API keys, which a test can make unavailable. */
export class StoredKeys extends ApiKeys {
  rows: StoredKey[] = [];
  reads = 0;
  isDown = false;

  override async list(): Promise<StoredKey[]> {
    this.reads += 1;
    if (this.isDown) throw new Error('connection refused');
    return [...this.rows];
  }
  override async addKey(name: string, hash: string, role: Role = 'viewer'): Promise<boolean> {
    if (this.rows.some((row) => row.name === name)) return false;
    this.rows.push({ name, hash, role, createdAt: new Date(0) });
    return true;
  }
  override async remove(name: string): Promise<boolean> {
    const before = this.rows.length;
    this.rows = this.rows.filter((row) => row.name !== name);
    return this.rows.length < before;
  }
  override async removeUnlessLastAdmin(name: string): Promise<'removed' | 'unknown' | 'last_admin'> {
    const admins = this.rows.filter(({ role }) => role === 'admin');
    if (admins.length === 1 && admins[0]?.name === name) return 'last_admin';
    return (await this.remove(name)) ? 'removed' : 'unknown';
  }
}
