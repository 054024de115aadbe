/** The API keys in the database: the one that the first start generates, and those made with `paybell keys`. */
export abstract class ApiKeys {
  /** Every key's name and SHA-256 in hex; the database holds no secrets. */
  abstract list(): Promise<{ name: string; hash: string; createdAt: Date }[]>;
  /** Stores a key; returns false when a key of this name exists already. */
  abstract add(name: string, hash: string): Promise<boolean>;
  abstract remove(name: string): Promise<boolean>;
}
