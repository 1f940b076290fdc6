import { enableCompileCache } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { compileCacheIn } from './compile-cache.ts';

// This process stays while the system runs, and all it allocates is what it loads now: 50 MB less for young objects.
setFlagsFromString('--semi-space-growth-factor=1');
// Before all that is worth keeping is loaded.
enableCompileCache(compileCacheIn(dirname(dirname(dirname(fileURLToPath(import.meta.url))))));
await import('./start.ts');
