import { ApiProperty } from '@nestjs/swagger';

/** An event type. */
export class SchemaAnswer {
  @ApiProperty({ type: String })
  type!: string;

  /** What the event means. */
  @ApiProperty({ type: String })
  summary!: string;

  /** The path of its JSON Schema. */
  @ApiProperty({ type: String })
  schema!: string;
}

/** All event types. */
export class SchemasAnswer {
  @ApiProperty({ type: [SchemaAnswer] })
  data!: SchemaAnswer[];
}
