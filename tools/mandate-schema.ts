import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MandateDocument } from '@castellan/contracts';
import { z } from 'zod';

/** Writes the JSON schema of mandates for editors: `node tools/mandate-schema.ts`. A test notices when it is stale. */
export const target = join(dirname(dirname(fileURLToPath(import.meta.url))), 'docs/mandate.schema.json');

/** The file's text. */
export const schemaText = (): string =>
  `${JSON.stringify(z.toJSONSchema(MandateDocument, { io: 'input' }), null, 2)}\n`;

if (import.meta.main) writeFileSync(target, schemaText());
