import { open } from 'node:fs/promises';

/** An event that its handler could not take. */
export type DeadLetter = {
  event: string;
  /** What the handler, or the schema, said last. */
  reason: string;
  /** The event's number in its stream. */
  seq: number;
  deliveries: number;
  /** The event as it was published, or its text when it is not JSON. */
  data: unknown;
};

/** Keeps a dead letter. Until it resolves the event is not settled; when it throws, the event is delivered again. */
export type KeepDeadLetter = (letter: DeadLetter) => Promise<void>;

/**
 * Appends each letter as one line of JSON to a file that only its owner reads, and waits until the disk has it. A process that is
 * killed right then writes the same letter again.
 */
export const deadLetterFile =
  (path: string): KeepDeadLetter =>
  async (letter) => {
    const file = await open(path, 'a', 0o600);
    try {
      await file.appendFile(`${JSON.stringify(letter)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
  };

/** The data of a message, as a letter holds it. */
export function dataOf(bytes: Uint8Array): unknown {
  const text = new TextDecoder().decode(bytes);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
