import { enableCompileCache } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileCacheIn } from './compile-cache.ts';

// Before all that is worth keeping is loaded.
enableCompileCache(compileCacheIn(dirname(dirname(dirname(fileURLToPath(import.meta.url))))));
await import('./start.ts');
