import { allRoutes } from '../../services/gateway/src/http/serve-routes.ts';
import { openApiDocument } from '../../services/gateway/src/openapi/document.ts';
import { type Document, typeLinesOf } from './type-lines.ts';

/** How much there is to read of the API's description, and of the types that are made of it: `node tools/api-size/main.ts`. */
export function sizeOfApi(): { readonly bytes: number; readonly lines: number; readonly operations: number } {
  const document = openApiDocument(allRoutes, 'http://127.0.0.1:8080');
  const bytes = Buffer.byteLength(JSON.stringify(document));
  return { bytes, lines: typeLinesOf(document as unknown as Document), operations: allRoutes.length };
}

function main(): void {
  const { bytes, lines, operations } = sizeOfApi();
  console.log(`${operations} operations: ${Math.round(bytes / 1000)} kB, ${lines} lines by openapi-typescript.`);
}

if (import.meta.main) main();
