/** The API keys that live in the database: the one generated at the first start, and those made with `paybell keys`. */
export abstract class ApiKeys {
  /** Every key's name and SHA-256 in hex; the secret itself is stored nowhere. */
  abstract list(): Promise<{ name: string; hash: string; createdAt: Date }[]>;
  /** Stores a key unless one of this name exists; tells whether it did. */
  abstract add(name: string, hash: string): Promise<boolean>;
  abstract remove(name: string): Promise<boolean>;
}
