#!/usr/bin/env node
import { bridgeOf, runBridge } from '../src/mcp/stdio-proxy.ts';

/** Lets an agent that speaks MCP over standard input and output use a Castellan: `CASTELLAN_URL`, `CASTELLAN_TOKEN`. */
process.stdin.once('end', () => process.exit(0));
try {
  await runBridge(bridgeOf(process.env));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 2;
}
