import type { TerminalAnswer } from './terminal-answer.ts';

/**
 * How a terminal has a wallet in a browser sign in for it: it listens on a port of this machine's loopback address, and opens a page of
 * the deployment with port and `state` in the fragment, which no server sees. The page has the wallet sign, and leads the browser back
 * to the terminal, again by a fragment. Neither holds a token: the terminal asks for it with what was signed, once.
 */
export type TerminalRequest = {
  port: number;
  /** 64 hexadecimal digits that nobody guesses. */
  state: string;
};

/** The page of the deployment that asks the wallet. */
export const terminalPath = '/operate/sessions';

const form = /^#terminal=([1-9][0-9]{3,4})\.([0-9a-f]{64})$/;

/** The fragment that a terminal opens the page with. */
export const terminalFragment = ({ port, state }: TerminalRequest): string => `#terminal=${port}.${state}`;

/** What a terminal asks of the page in this fragment; undefined when it asks nothing. */
export function terminalRequestIn(fragment: string): TerminalRequest | undefined {
  const [, port, state] = form.exec(fragment) ?? [];
  if (state === undefined || Number(port) > 65_535) return undefined;
  return { port: Number(port), state };
}

/** What terminal and page both show, for the person to compare. */
export const terminalCode = ({ state }: TerminalRequest): string =>
  `${state.slice(0, 4)}-${state.slice(4, 8)}`.toUpperCase();

/** Where the browser brings it: the loopback address as it is, for `localhost` could be another one. */
export const terminalAnswerUrl = ({ port, state }: TerminalRequest, proof: TerminalAnswer['proof']): string =>
  `http://127.0.0.1:${port}/#${encodeURIComponent(JSON.stringify({ state, proof }))}`;
