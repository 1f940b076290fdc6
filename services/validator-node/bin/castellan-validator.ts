#!/usr/bin/env node
import { main } from '../src/cli/main.ts';
import { runNodes } from '../src/node/process.ts';

process.exitCode = await main({
  argv: process.argv.slice(2),
  env: process.env,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  fetch,
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  now: Date.now,
  run: runNodes,
});
if (process.argv[2] === 'run') process.exit();
