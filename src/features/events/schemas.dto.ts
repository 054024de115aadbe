import { ApiProperty } from '@nestjs/swagger';

/** A type of event. */
export class SchemaAnswer {
  @ApiProperty({ type: String })
  type!: string;

  /** What it tells. */
  @ApiProperty({ type: String })
  summary!: string;

  /** The path of its JSON Schema. */
  @ApiProperty({ type: String })
  schema!: string;
}

/** Every type of event. */
export class SchemasAnswer {
  @ApiProperty({ type: [SchemaAnswer] })
  data!: SchemaAnswer[];
}
