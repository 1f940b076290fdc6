import { describe, expect, test } from '@jest/globals';
import type { NodeConfig } from '../config/load.ts';
import { runNodes } from './process.ts';

/** Nodes that do nothing but begin and end, in a process of their own. */
function processOf(...names: string[]) {
  const listeners = new Map<string, (about: unknown) => void>();
  const exits: number[] = [];
  const stopped: string[] = [];
  const nodes = names.map((name) => ({
    name,
    started: Promise.withResolvers<void>(),
    ended: Promise.withResolvers<number>(),
  }));
  const config = (name: string) =>
    ({
      node: { node_id: name },
      monitoring: { log_level: 'fatal' },
      ocr2: { shutdown_grace: 1_000 },
    }) as unknown as NodeConfig;
  const code = runNodes(names.map(config), {
    on: (event, listener) => void listeners.set(event, listener),
    exit: (with_) => void exits.push(with_),
    start: ({ node }) => {
      const { name, started, ended } = nodes.find((each) => each.name === node.node_id) as (typeof nodes)[number];
      return {
        ready: started.promise,
        ended: ended.promise,
        stop: async () => {
          stopped.push(name);
          ended.resolve(0);
        },
      };
    },
  });
  const happens = (event: string, about: unknown = event) => listeners.get(event)?.(about);
  return { code, exits, stopped, nodes, happens };
}

describe('nodes of one process', () => {
  test('default: a signal ends all of them with 0, a second one at once', async () => {
    const { code, exits, stopped, happens } = processOf('a', 'b');
    happens('SIGTERM');
    expect(stopped).toEqual(['a', 'b']);
    happens('SIGINT');
    expect(exits).toEqual([1]);
    expect(await code).toBe(0);
  });

  test('behavior: one that loses its keys ends all of them with its code', async () => {
    const { code, stopped, nodes } = processOf('a', 'b');
    nodes[1]?.ended.resolve(1);
    expect(await code).toBe(1);
    expect(stopped).toEqual(['a', 'b']);
  });

  test('error: one that does not start ends the others, and its reason is reported', async () => {
    const { code, stopped, nodes } = processOf('a', 'b');
    nodes[0]?.started.reject(new Error('the key is in use'));
    await expect(code).rejects.toThrow('the key is in use');
    expect(stopped).toEqual(['a', 'b']);
  });

  test('error: an error that nobody caught ends all with 1', async () => {
    const { code, happens } = processOf('a');
    happens('uncaughtException', new Error('unexpected'));
    expect(await code).toBe(1);
  });

  test('behavior: what a stop cuts short is no fault', async () => {
    const { code, nodes, happens } = processOf('a');
    happens('SIGTERM');
    nodes[0]?.started.reject(new Error('connection closed'));
    expect(await code).toBe(0);
  });
});
