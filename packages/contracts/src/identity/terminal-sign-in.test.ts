import { describe, expect, test } from '@jest/globals';
import { TerminalAnswer } from './terminal-answer.ts';
import { terminalAnswerUrl, terminalCode, terminalFragment, terminalRequestIn } from './terminal-sign-in.ts';

const state = '0a1b2c3d'.repeat(8);
const proof = { method: 'siwe', message: 'app.example.org wants 100% of #', signature: '0x51' } as const;

describe('signing in for a terminal', () => {
  test('default: the page reads what the terminal asked, and both show one code', () => {
    const request = { port: 41_234, state };
    expect(terminalRequestIn(terminalFragment(request))).toEqual(request);
    expect(terminalCode(request)).toBe('0A1B-2C3D');
  });

  test.each([
    '',
    '#pps',
    `#terminal=80.${state}`,
    `#terminal=65536.${state}`,
    `#terminal=041234.${state}`,
    `#terminal=41234.${state}0`,
    `#terminal=41234.${state.slice(1)}`,
    `#terminal=41234@evil.example.${state}`,
    `#terminal=41234.${state}&more`,
  ])('error: %s asks nothing', (fragment) => {
    expect(terminalRequestIn(fragment)).toBeUndefined();
  });

  test('behavior: the answer stays in the fragment, and is read as it was written', () => {
    const { hash, search, host } = new URL(terminalAnswerUrl({ port: 41_234, state }, proof));
    expect([host, search]).toEqual(['127.0.0.1:41234', '']);
    expect(TerminalAnswer.parse(JSON.parse(decodeURIComponent(hash.slice(1))))).toEqual({ state, proof });
  });
});
