/** The settings that the benchmark passes to a baseline. */
export class Settings {
  readonly databaseUrl!: string;
  readonly providerUrl!: string;
  readonly webhookUrl!: string;
  readonly brokerUrl!: string;
  readonly exchange!: string;
  readonly intervalMs!: number;
}
