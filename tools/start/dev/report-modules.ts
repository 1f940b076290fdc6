import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Loaded by `node --import` before a process of the development loop: sends each file of the project that the process
 * imports to its parent, as Node itself resolved it. Late imports are sent when they happen.
 */
const sent = new Set<string>();

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context);
    const { url } = resolved;
    if (url.startsWith('file:') && !url.includes('/node_modules/') && !sent.has(url)) {
      sent.add(url);
      if (process.connected) process.send?.({ imported: fileURLToPath(url) });
    }
    return resolved;
  },
});
