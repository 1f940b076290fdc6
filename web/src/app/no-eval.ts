/**
 * zod probes for eval when it first parses; the content policy forbids eval and would report the attempt. This is what
 * `z.config({ jitless: true })` sets, without importing zod: schemas of other chunks would be evaluated before this module then.
 */
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
